#!/usr/bin/python3
"""Checks receipts, key proofs, promises and whole logs of Tallystick with none of its code.

Needs Python 3.9 and the package 'cryptography' (Debian: python3-cryptography). The formats are in docs/formats/seal.md.

    verify.py receipt  FILE --root-key FILE [--policy FILE]
    verify.py key      FILE --root-key FILE [--policy FILE]
    verify.py promise  FILE --root-key FILE [--policy FILE] [--log DIR]
    verify.py omission FILE --root-key FILE --policy FILE
    verify.py log      DIR  --root-key FILE

Several files may be given; the first that is refused ends the check.

The root key is one line 'name+id+key'. Prints what is proven and exits with 0, or prints the reason and exits with 1.
"""
import argparse
import base64
import datetime
import hashlib
import hmac
import json
import math
import os
import struct
import sys
import unicodedata

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ZERO = bytes(32)
ACCEPTED, CLOSED, ERASED, MEMBER_SECRET, MAP_HEAD, KEY_ROTATION, SUCCESSION = 1, 2, 3, 6, 7, 8, 9
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


class Refused(Exception):
    """The document proves nothing, for this reason."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def lp(text):
    data = text.encode()
    return struct.pack(">I", len(data)) + data


def b64(text, length=None):
    data = base64.b64decode(text, validate=True)
    require(base64.b64encode(data).decode() == text, "Base64 in other than its usual form")
    require(length is None or len(data) == length, "a hash has 32 bytes")
    return data


# Canonical JSON (RFC 8785)

def canonical(value):
    if value is None or isinstance(value, bool) or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(each) for each in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"


def number(value):
    value = float(value)
    require(math.isfinite(value), "JSON has no infinity")
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    digits, exponent = ("%r" % abs(value)).lower(), 0
    if "e" in digits:
        digits, exponent = digits.split("e")[0], int(digits.split("e")[1])
    whole, _, fraction = digits.partition(".")
    point = len(whole) + exponent
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    sign = "-" if value < 0 else ""
    if point > 21 or point <= -6:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return "%s%se%s%d" % (sign, mantissa, "" if point < 1 else "+", point - 1)
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return sign + digits[:point] + "." + digits[point:]


def no_duplicates(pairs):
    require(len(dict(pairs)) == len(pairs), "a JSON object has a name twice")
    return dict(pairs)


def parse_json(data):
    try:
        return json.loads(data.decode(), object_pairs_hook=no_duplicates)
    except (ValueError, RecursionError) as error:
        raise Refused("not JSON: %s" % error)


# Notes and checkpoints

class Key:
    def __init__(self, text):
        parts = text.strip().split("+", 2)
        require(len(parts) == 3, "a key is one line 'name+id+key'")
        self.text, self.name = text.strip(), parts[0]
        typed = b64(parts[2])
        require(len(typed) == 33 and typed[0] in (1, 4), "a key of unknown type")
        self.type, self.raw = typed[0], typed[1:]
        self.id = sha256(self.name.encode(), b"\n", typed)[:4]
        require(self.id.hex() == parts[1], "the id of this key is not that of its name and bytes")

    def verifies(self, text, signature):
        if self.type == 4:
            if len(signature) != 72:
                return False
            seconds = struct.unpack(">q", signature[:8])[0]
            text, signature = "cosignature/v1\ntime %d\n%s" % (seconds, text), signature[8:]
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, text.encode())
            return True
        except InvalidSignature:
            return False


class Note:
    def __init__(self, note):
        blank = note.rfind("\n\n")
        require(blank >= 0 and note.endswith("\n"), "a note is a text, an empty line, and signatures")
        self.text = note[: blank + 1]
        self.signatures = []
        for line in note[blank + 2:].split("\n")[:-1]:
            words = line.split(" ")
            require(len(words) == 3 and words[0] == "\u2014", "a signature is one line '— name signature'")
            data = b64(words[2])
            self.signatures.append((words[1], data[:4], data[4:]))

    def by(self, key):
        return [each[2] for each in self.signatures if each[0] == key.name and each[1] == key.id]

    def signed_by(self, key):
        theirs = self.by(key)
        return bool(theirs) and all(key.verifies(self.text, each) for each in theirs)

    def checkpoint(self):
        lines = self.text.split("\n")
        require(len(lines) == 4 and lines[3] == "", "a checkpoint has three lines")
        require(lines[1].isdigit() and str(int(lines[1])) == lines[1], "the size is not a plain number")
        return lines[0], int(lines[1]), b64(lines[2], 32)


# The Merkle tree (RFC 6962)

def leaf_hash(entry):
    return sha256(b"\0", entry)


def node_hash(left, right):
    return sha256(b"\1", left, right)


def included(root, size, index, leaf, proof):
    if not 0 <= index < size:
        return False
    at, last, value = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            value = node_hash(sibling, value)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            value = node_hash(value, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and value == root


class Edge:
    """The roots of the complete subtrees of a tree, the smallest last."""

    def __init__(self):
        self.size, self.peaks = 0, []

    def append(self, leaf):
        bits = self.size
        while bits & 1:
            leaf, bits = node_hash(self.peaks.pop(), leaf), bits >> 1
        self.peaks.append(leaf)
        self.size += 1

    def root(self):
        if not self.peaks:
            return sha256()
        value = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            value = node_hash(peak, value)
        return value


# Keys and witnesses

class Ring:
    """The root key and its successors; each signs the sizes up to its rotation."""

    def __init__(self, root):
        require(root.type == 1, "a log's key signs notes")
        self.origin, self.keys, self.ends = root.name, [root], []

    def rotate(self, entry, note, proved):
        origin, size, _ = note.checkpoint()
        successor = Key(json.loads(entry[1:])["next"]) if entry[0] == KEY_ROTATION else None
        require(successor is not None and successor.name == self.origin, "a rotation is of another log")
        require(origin == self.origin and (not self.ends or size > self.ends[-1]), "a rotation is out of order")
        require(note.signed_by(self.keys[-1]), "a rotation is not signed by the key in force")
        require(proved, "a rotation is not the last but one entry of its log")
        self.keys.append(successor)
        self.ends.append(size)

    def verify(self, note):
        origin, size, root = note.checkpoint()
        require(origin == self.origin, "the checkpoint is of another log: %s" % origin)
        wanted = next((key for key, end in zip(self.keys, self.ends) if size <= end), self.keys[-1])
        if not note.signed_by(wanted):
            outside = any(note.signed_by(key) for key in self.keys if key is not wanted)
            raise Refused("the checkpoint is signed by a key outside its range of sizes" if outside
                          else "the checkpoint is not signed by the log's key")
        return size, root


class Policy:
    """A policy file; read as bytes that may not be UTF-8."""

    def __init__(self, text):
        self.witnesses, self.groups, self.quorum = {}, {}, None
        for line in text.split("\n"):
            words = line.split()
            if not words or words[0].startswith("#") or words[0] == "log":
                continue
            if words[0] == "witness":
                self.witnesses[words[1]] = Key(words[2])
            elif words[0] == "group":
                members = words[3:]
                self.groups[words[1]] = ({"all": len(members), "any": 1}.get(words[2]) or int(words[2]), members)
            elif words[0] == "quorum":
                self.quorum = words[1]
            else:
                raise Refused("unknown word in the policy: %s" % words[0])
        require(self.quorum, "the policy has no quorum")

    def met(self, name, cosigned):
        if name == "none":
            return True
        if name in self.groups:
            threshold, members = self.groups[name]
            return sum(self.met(member, cosigned) for member in members) >= threshold
        return name in cosigned

    def time(self, note):
        if self.quorum == "none":
            return None
        times = {name: max(struct.unpack(">q", each[:8])[0] for each in note.by(key))
                 for name, key in self.witnesses.items() if key.type == 4 and note.signed_by(key)}
        for at in sorted(times.values(), reverse=True):
            if self.met(self.quorum, [name for name in times if times[name] >= at]):
                return at
        return None


def utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


def checkpoint_of(document, root_key, policy):
    ring = Ring(root_key)
    for each in document.get("rotations", []):
        entry = b64(each["entry"])
        head, _, note = each["proof"].partition("\n\n")
        lines = head.split("\n")
        require(lines[0] == "c2sp.org/tlog-proof@v1" and lines[1].startswith("index "), "not a tlog-proof")
        note, index = Note(note), int(lines[1][6:])
        _, size, root = note.checkpoint()
        proof = [b64(line, 32) for line in lines[2:]]
        proved = index == size - 2 and included(root, size, index, leaf_hash(entry), proof)
        ring.rotate(entry, note, proved)
    note = Note(document["checkpoint"])
    size, root = ring.verify(note)
    at = policy.time(note) if policy else None
    return size, root, at, ring


def standing(document, root_key, policy):
    size, root, at, ring = checkpoint_of(document, root_key, policy)
    when = "signed, unwitnessed" if at is None else "cosigned at %s" % (
        utc(at).strftime("%Y-%m-%dT%H:%M:%SZ"))
    return size, root, "as of size %d of log %s, %s" % (size, ring.origin, when)


# Entries, records and the key map

def sealed(document, size, root, wanted):
    require(document["type"] == wanted, "an entry of another type")
    entry = bytes([wanted]) + canonical(document["entry"]).encode()
    proof = [b64(each, 32) for each in document["proof"]]
    require(included(root, size, document["index"], leaf_hash(entry), proof),
            "entry %d is not in the log of this checkpoint" % document["index"])
    return document["entry"]


def opens(opened, commitment, job, field):
    value = sha256(canonical(opened["value"]).encode())
    return mac(b64(opened["opening"], 32), b"tally-commit-v1", lp(job), lp(field), value) == commitment


def check_shown(document, entry, job, erased=False):
    for field, opened in document["shown"].items():
        commitment = entry["commitments"].get(field)
        require(commitment is not None and opens(opened, b64(commitment, 32), job, field),
                "the field '%s' is not the one that the log commits to" % field)
    unopenable = erased and "job" not in document["shown"]
    require(unopenable or document["shown"].get("job", {}).get("value") == job, "the record does not show its job")


def receipt(data, root_key, policy):
    document = parse_json(data)
    require(document.get("format") == "tally-receipt-v1", "not a receipt")
    size, root, words = standing(document, root_key, policy)
    job, facts = printable(document["job"]), []
    accepted, closed, erased = document.get("accepted"), document.get("closed"), document.get("erased")
    require(accepted or closed, "a receipt has an accepted or a closed entry")
    if accepted:
        check_shown(accepted, sealed(accepted, size, root, ACCEPTED), job, erased)
        facts.append("accepted (entry %d)" % accepted["index"])
    for name, kind, each in ("closed", CLOSED, closed), ("erased", ERASED, erased):
        if each:
            entry = sealed(each, size, root, kind)
            require(entry.get("accepted") == (accepted["index"] if accepted else None),
                    "the %s entry belongs to another accepted entry" % name)
            check_shown(each, entry, job, erased and each is not erased)
            facts.append("%s (entry %d)" % (name, each["index"]))
    return "job %s: %s; %s" % (job, ", ".join(facts), words)


def map_leaf(tag, commitment):
    return sha256(b"\2", tag, commitment)


def map_node(left, right):
    return sha256(b"\3", left, right)


def bit(tag, depth):
    return tag[depth >> 3] >> (7 - (depth & 7)) & 1


def looked_up(proof, tag, root, reason="a proof does not lead to the root of the key map"):
    """The commitment of a tag in the map; None if it is absent."""
    siblings = [b64(each, 32) for each in proof["siblings"]]
    require(len(siblings) <= 256, "a proof has at most 256 hashes")
    leaf, value = proof.get("leaf"), ZERO
    if leaf:
        there, commitment = b64(leaf["tag"], 32), b64(leaf["commitment"], 32)
        require(all(bit(there, depth) == bit(tag, depth) for depth in range(len(siblings))), reason)
        value = map_leaf(there, commitment)
    for depth in reversed(range(len(siblings))):
        pair = (siblings[depth], value) if bit(tag, depth) else (value, siblings[depth])
        value = map_node(*pair)
    require(value == root, reason)
    return commitment if leaf and there == tag else None


def shown(text):
    """What a document says, for a terminal: nothing in it can end a line or move the cursor."""
    return "".join(each if unicodedata.category(each) not in HIDDEN else "\\u%04x" % ord(each) for each in text)


def printable(text):
    """A line break in a name could look like another verdict."""
    require(text and not any(unicodedata.category(each) in HIDDEN for each in text), "names and keys are printable")
    return text


def member_position(mesh, member, generation):
    return sha256(b"tally-member-v1", lp(mesh), lp(member), struct.pack(">I", generation))


def key_proof(data, root_key, policy):
    document = parse_json(data)
    require(document.get("format") == "tally-key-proof-v1", "not a key proof")
    size, root, words = standing(document, root_key, policy)
    head = sealed(document["head"], size, root, MAP_HEAD)
    require(document["head"]["index"] == head["covers"] == size - 1, "the head is not the last entry")
    top, key = b64(head["root"], 32), printable(document["key"])
    mesh, member = printable(document["mesh"]), printable(document["member"])
    jobs = []
    for number, generation in enumerate(document["generations"], 1):
        secret, count = b64(generation["secret"], 32), struct.pack(">I", number)
        committed = mac(secret, b"tally-secret-v1", lp(mesh), lp(member), count)
        reason = "the log does not commit to the secret of generation %d for this member and mesh" % number
        position = member_position(mesh, member, number)
        require(looked_up(generation["committed"], position, top, reason) == committed, reason)
        require(generation["numbers"], "a generation shows no number")
        for n, each in enumerate(generation["numbers"]):
            tag = mac(secret, b"tally-tag-v1", lp("accept"), lp(key), struct.pack(">I", n))
            there = looked_up(each["map"], tag, top)
            last = n == len(generation["numbers"]) - 1
            require((there is None) == last, "numbers must be present up to the last one, which must be absent")
            if there is not None:
                shown = each.get("job")
                require(shown is None or opens(shown, there, shown["value"], "job"), "an acceptance of another job")
                jobs.append(printable(shown["value"]) if shown else "(not shown)")
    further = member_position(mesh, member, len(document["generations"]) + 1)
    require(looked_up(document["no_further"], further, top) is None, "a generation of the secret is not shown")
    family = descendants(document.get("descendants", []), size, root, jobs)
    if document.get("more_descendants"):
        family.append("and others")
    if not document["generations"]:
        words += "; the log has no secret of this member: check the id"
    who = "key %s of member %s in mesh %s" % (canonical(key), canonical(member), canonical(mesh))
    lines = ["%s: %d acceptance(s) %s; %s" % (who, len(jobs), " ".join(jobs), words)]
    return "\n  ".join(lines + family)


def descendants(entries, size, root, jobs):
    """Jobs that come from these, in the order of the log; that there are no others is not proven."""
    family, found = set(jobs), []
    for each in entries:
        entry, shown = sealed(each, size, root, ACCEPTED), each["shown"]
        job, origin = printable(shown["job"]["value"]), printable(shown["origin"]["value"])
        check_shown(each, entry, job)
        require(opens(shown["origin"], b64(entry["origin"]["job"], 32), job, "origin"),
                "entry %d does not come from the job shown" % each["index"])
        require(origin in family and job not in family,
                "entry %d does not descend from a job of this key" % each["index"])
        family.add(job)
        found.append("%s %s of %s" % (entry["origin"]["kind"], job, origin))
    return found


# Promises

PROMISE = ["log", "tag", "job", "fingerprint", "accepted_at", "sealed_by"]


class Promise:
    def __init__(self, note, ring):
        lines = note.text.split("\n")
        require(lines[0] == "tally-promise-v1" and len(lines) == 8 and lines[7] == "", "not a promise")
        for word, line in zip(PROMISE, lines[1:]):
            require(line.startswith(word + " "), "a promise without its line '%s'" % word)
        values = [line.split(" ", 1)[1] for line in lines[1:7]]
        self.log, self.job, self.sealed_by = values[0], printable(values[2]), printable(values[5])
        self.tag, self.fingerprint = b64(values[1], 32), b64(values[3], 32)
        require(self.log == ring.origin, "the promise is of another log: %s" % self.log)
        require(any(note.signed_by(key) for key in ring.keys), "the promise is not signed by the log's key")
        whole, _, fraction = self.sealed_by.rstrip("Z").partition(".")
        start = datetime.datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc)
        self.due = start + datetime.timedelta(microseconds=int((fraction + "000000")[:6]))

    def broken(self, at):
        return at is not None and utc(at) > self.due


def promise(data, root_key, policy, directory):
    document = parse_json(data)
    require(document.get("format") == "tally-promise-v1", "not a promise")
    note, ring, leaves, at, words = Note(document["note"]), Ring(root_key), None, None, ""
    if directory:
        checkpoint, ring, leaves, _, _ = read_log(directory, root_key)
        at = policy.time(checkpoint) if policy else None
    promised = Promise(note, ring)
    shown = document.get("fingerprint")
    require(shown is None or opens(shown, promised.fingerprint, promised.job, "fingerprint"),
            "the fingerprint is not the one that was promised")
    if leaves is not None and promised.tag in leaves:
        words = "; kept: the log has it"
    elif leaves is not None:
        require(not promised.broken(at), "broken: witnesses saw the log without job %s" % promised.job)
        words = "; not in the log, and no quorum of witnesses saw the log after that time"
    return "job %s: will be in log %s by %s%s" % (promised.job, promised.log, promised.sealed_by, words)


def omission(data, root_key, policy):
    document = parse_json(data)
    require(document.get("format") == "tally-omission-v1", "not an omission")
    size, root, at, ring = checkpoint_of(document, root_key, policy)
    promised = Promise(Note(document["promise"]), ring)
    head = sealed(document["head"], size, root, MAP_HEAD)
    require(document["head"]["index"] == head["covers"] == size - 1, "the head is not the last entry")
    require(looked_up(document["map"], promised.tag, b64(head["root"], 32)) is None, "the promise was kept")
    require(promised.broken(at), "no quorum of witnesses saw this checkpoint after %s" % promised.sealed_by)
    return "broken: job %s was to be in log %s by %s; witnesses saw the log without it at size %d" % (
        promised.job, promised.log, promised.sealed_by, size)


# A whole log

def bundle_path(index):
    parts = ["%03d" % (index % 1000)]
    while index >= 1000:
        index //= 1000
        parts.insert(0, "x%03d" % (index % 1000))
    return os.path.join("tile", "entries", *parts)


def read_entries(directory, size):
    for start in range(0, size, 256):
        width = min(256, size - start)
        name = bundle_path(start // 256) if width == 256 else os.path.join("tail", str(size))
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        at = 0
        for index in range(start, start + width):
            require(at + 2 <= len(data), "%s ends before entry %d" % (name, index))
            length = struct.unpack_from(">H", data, at)[0]
            require(at + 2 + length <= len(data), "%s ends inside entry %d" % (name, index))
            yield index, data[at + 2: at + 2 + length]
            at += 2 + length
        require(at == len(data), "%s has more than its entries" % name)


def map_root(leaves, depth=0):
    """The root over sorted (tag, commitment) pairs."""
    if len(leaves) < 2:
        return map_leaf(*leaves[0]) if leaves else ZERO
    middle = sum(1 for leaf in leaves if not bit(leaf[0], depth))
    return map_node(map_root(leaves[:middle], depth + 1), map_root(leaves[middle:], depth + 1))


def succession(entry, origin):
    """What a log says of the one that it succeeds. Who signed the old checkpoint is for the old log's key to say."""
    old, size = Key(entry["log"]).name, 0
    require(old != origin, "the log names itself as the one that it succeeds")
    if "checkpoint" in entry:
        named, size, _ = Note(entry["checkpoint"]).checkpoint()
        require(named == old, "a succession with a checkpoint of another log than it names")
    return "succeeds log %s of size %d: %s" % (printable(old), size, printable(entry["reason"]))


def read_log(directory, root_key):
    """The checkpoint, keys, leaves of the key map, number of heads and predecessor of a log that is in order."""
    with open(os.path.join(directory, "checkpoint"), "rb") as file:
        note = Note(file.read().decode())
    _, size, root = note.checkpoint()
    ring, edge, leaves, heads, once, rotation, succeeds = Ring(root_key), Edge(), {}, 0, set(), None, None
    for index, data in read_entries(directory, size):
        edge.append(leaf_hash(data))
        kind, entry = data[0], parse_json(data[1:])
        require(canonical(entry).encode() == data[1:], "entry %d is not canonical" % index)
        if rotation:
            with open(os.path.join(directory, "rotation", str(index + 1)), "rb") as file:
                last = Note(file.read().decode())
            require(last.checkpoint()[1:] == (index + 1, edge.root()), "the rotation at entry %d has another root" % index)
            ring.rotate(rotation, last, kind == MAP_HEAD)
        rotation = data if kind == KEY_ROTATION else None
        if kind == ACCEPTED and "tag" in entry or kind == MEMBER_SECRET:
            tag = b64(entry["tag" if kind == ACCEPTED else "position"], 32)
            require(tag not in leaves, "entry %d has a tag for the second time" % index)
            leaves[tag] = b64(entry["commitments"]["job"] if kind == ACCEPTED else entry["commitment"], 32)
        elif kind in (CLOSED, ERASED) and "accepted" in entry:
            what = "closes" if kind == CLOSED else "erases"
            require((kind, entry["accepted"]) not in once, "entry %d %s a job for the second time" % (index, what))
            once.add((kind, entry["accepted"]))
        elif kind == SUCCESSION:
            require(index == 0, "entry %d: a succession is the first entry of its log" % index)
            succeeds = succession(entry, ring.origin)
        elif kind == MAP_HEAD:
            heads += 1
            require(entry["covers"] == index and entry["count"] == len(leaves)
                    and b64(entry["root"], 32) == map_root(sorted(leaves.items())),
                    "entry %d: the head names another key map than the entries give" % index)
    require(edge.root() == root, "the root of the checkpoint is not that of the entries")
    require(size and kind == MAP_HEAD, "the log does not end in a head")
    ring.verify(note)
    return note, ring, leaves, heads, succeeds


def whole_log(directory, root_key):
    note, ring, leaves, heads, succeeds = read_log(directory, root_key)
    size = note.checkpoint()[1]
    words = "log %s: %d entries, %d heads, %d leaves of the key map" % (ring.origin, size, heads, len(leaves))
    return words + ("; " + succeeds if succeeds else "")


def check(options, name, root_key, policy):
    if options.what == "log":
        return whole_log(name, root_key)
    with open(name, "rb") as file:
        data = file.read()
    if options.what == "promise":
        return promise(data, root_key, policy, options.log)
    return {"receipt": receipt, "key": key_proof, "omission": omission}[options.what](data, root_key, policy)


def main():
    parser = argparse.ArgumentParser(description="Checks receipts, key proofs, promises and logs of Tallystick.")
    parser.add_argument("what", choices=["receipt", "key", "promise", "omission", "log"])
    parser.add_argument("file", nargs="+")
    parser.add_argument("--root-key", required=True)
    parser.add_argument("--policy")
    parser.add_argument("--log", help="for a promise: the directory of the log")
    options = parser.parse_args()
    try:
        with open(options.root_key, encoding="utf-8") as file:
            root_key = Key(file.read())
        policy = None
        if options.policy:
            with open(options.policy, encoding="utf-8", errors="surrogateescape") as file:
                policy = Policy(file.read())
        for name in options.file:
            print(check(options, name, root_key, policy))
    except (Refused, OSError) as reason:
        print("refused: %s" % shown(str(reason)))
        sys.exit(1)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as malformed:
        print("refused: malformed: %s" % shown(repr(malformed)))
        sys.exit(1)


if __name__ == "__main__":
    main()
