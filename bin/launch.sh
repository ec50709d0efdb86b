# Finds a JDK, builds a module when its sources have changed, and becomes the Java process that runs it. Sourced by
# ./tally, bench/run, ./format and .ci/run; they set `root` (the checkout) and `me` (their name, for messages).
#
# POSIX sh on purpose: it is wherever Java is (dash, busybox, the old bash of a Mac), and dash starts in a millisecond,
# so the launcher does not cost more than the command.
#
# What a build leaves in target/launch/MODULE (`mvn clean` takes it away):
#   built     names the folder that holds the current build; as old as the moment when that build began
#   app.*     the jars of a build, and archives of loaded classes, one for each JDK; the current one and the one before
#   build.log what Maven said last
# A build is copied there and never overwritten, so that neither the next build nor `mvn verify` pulls the jars away
# from under a process that still runs.

oldest_jdk=21

# SQLite is native code, about which newer JVMs warn unless it is allowed. The archive of classes is good only for a JVM
# that is started as the one which made it.
native=--enable-native-access=ALL-UNNAMED

say() {
    printf '%s: %s\n' "$me" "$*" >&2
}

# Sets java_home to a JDK that is recent enough: the first of $TALLY_JAVA_HOME, $JAVA_HOME and the java on the path, else
# the newest of those in the usual places. Sets jdk_rank, a number that grows with its version (25.0.3 is 25000003).
find_jdk() {
    if [ -n "${TALLY_JAVA_HOME:-}" ]; then
        try_jdk "$TALLY_JAVA_HOME" && return
        say "TALLY_JAVA_HOME=$TALLY_JAVA_HOME is not a JDK $oldest_jdk or newer; looking elsewhere"
    fi
    [ -n "${JAVA_HOME:-}" ] && try_jdk "$JAVA_HOME" && return
    on_path=$(command -v java) && follow "$on_path" && try_jdk "${followed%/bin/java}" && return

    newest_rank=0
    for home in /usr/lib/jvm/* /usr/lib64/jvm/* "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        if try_jdk "$home" && [ "$jdk_rank" -gt "$newest_rank" ]; then
            newest=$home newest_rank=$jdk_rank
        fi
    done
    [ "$newest_rank" -gt 0 ] && java_home=$newest jdk_rank=$newest_rank && return

    say "no JDK $oldest_jdk or newer was found. Install one, for example with"
    cat >&2 <<TXT
    sudo apt install openjdk-$oldest_jdk-jdk             # Debian, Ubuntu
    sudo dnf install java-$oldest_jdk-openjdk-devel      # Fedora, Red Hat
    brew install openjdk@$oldest_jdk                     # macOS
or point TALLY_JAVA_HOME at one that you have. Looked at TALLY_JAVA_HOME, JAVA_HOME, the java on the path, /usr/lib/jvm
and the places where macOS, Homebrew and SDKMAN keep JDKs.
TXT
    exit 1
}

# Succeeds if $1 is the home of a JDK (one that can compile) that is recent enough.
try_jdk() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    version=
    while IFS= read -r line; do
        case $line in
            JAVA_VERSION=*) version=${line#JAVA_VERSION=} ;;
        esac
    done <"$1/release"
    version=${version#\"}
    version=${version%%[!0-9.]*}
    rank "$version"
    [ "$jdk_rank" -ge "${oldest_jdk}000000" ] && java_home=$1
}

# Sets jdk_rank from a version such as 25.0.3.
rank() {
    old_ifs=$IFS IFS=.
    # shellcheck disable=SC2086 # split at the dots
    set -- $1
    IFS=$old_ifs
    jdk_rank=$((${1:-0} * 1000000 + ${2:-0} * 1000 + ${3:-0}))
}

# Sets followed to where $1 leads, through any number of symbolic links.
follow() {
    followed=$1
    while [ -L "$followed" ]; do
        link=$(readlink "$followed") || return
        case $link in
            /*) followed=$link ;;
            *) followed=${followed%/*}/$link ;;
        esac
    done
}

need_maven() {
    command -v mvn >/dev/null && return
    say "Maven is needed to build from source and was not found. Install it, for example with"
    cat >&2 <<TXT
    sudo apt install maven      # Debian, Ubuntu
    sudo dnf install maven      # Fedora, Red Hat
    brew install maven          # macOS
TXT
    exit 1
}

# maven LOG ARGUMENT …: runs Maven in the checkout without a word, on the JDK that was found, for the java on the path may
# be missing or too old for a plugin. If it fails, shows what went wrong, which Maven says before its summary and advice.
maven() {
    log=$1
    shift
    (CDPATH='' cd -- "$root" && JAVA_HOME=$java_home exec mvn -B "$@") </dev/null >"$log" 2>&1 && return
    sed '/^\[ERROR\] To see the full stack trace/,$d' "$log" | grep -v '^\[INFO\]' | tail -n 20 >&2
    say "the build failed; all that Maven said is in $log"
    exit 1
}

# launch MODULE MAIN FLAGS REHEARSAL [ARGUMENT …]: becomes the Java process. FLAGS are words for the JVM. REHEARSAL, if
# not empty, is the arguments of a short run: the classes that it loads are archived, and later runs start faster.
launch() {
    module=$1 main=$2 flags=$3 rehearsal=$4
    shift 4
    find_jdk
    if [ "${TALLY_BUILD:-}" = never ]; then
        app=$root/$module/target # what Maven built last, new or old: for tests that run inside a build
        rehearsal=
    else
        state=$root/target/launch/$module
        is_current || build
    fi
    class_path=$app/tallystick-$module.jar
    for jar in "$app"/lib/*.jar; do
        class_path=$class_path:$jar
    done
    set -- -cp "$class_path" "$main" "$@"
    if [ -n "$rehearsal" ]; then
        archive=$app/classes-$jdk_rank.jsa
        [ -f "$archive" ] || rehearse
        [ -f "$archive" ] && set -- "-XX:SharedArchiveFile=$archive" -Xshare:auto "$@"
    fi
    # shellcheck disable=SC2086 # the flags are words
    exec "$java_home/bin/java" $flags $native "$@"
}

# Succeeds and sets app if there is a build and nothing that went into it is newer. Folders count as well as files, so
# that a deleted source is noticed.
is_current() {
    [ -f "$state/built" ] || return 1
    IFS= read -r app <"$state/built"
    app=$state/$app
    [ -f "$app/tallystick-$module.jar" ] || return 1
    set -- "$root/pom.xml" "$root/.mvn"
    for jar in "$app"/tallystick-*.jar "$app"/lib/tallystick*.jar; do
        [ -f "$jar" ] || continue
        part=${jar##*/}
        part=${part%%-[0-9]*}
        part=${part%.jar}
        part=${part#tallystick-}
        set -- "$@" "$root/$part/pom.xml" "$root/$part/src/main"
    done
    newer=$(find "$@" -newer "$state/built" -print -quit 2>/dev/null) && [ -z "$newer" ]
}

# Sets app to a build of the sources as they are.
build() {
    if ! mkdir -p "$state" 2>/dev/null || ! [ -w "$state" ]; then
        if [ -f "${app:-}/tallystick-$module.jar" ]; then
            say "the sources are newer than the build, but $root/target is not yours to write: running the old build"
            return
        fi
        say "has to be built first, but $root/target is not yours to write"
        exit 1
    fi
    need_maven
    lock
    is_current || build_alone
    unlock
}

build_alone() {
    name=app.$(date +%Y%m%d%H%M%S).$$
    echo "$name" >"$state/started"
    if [ -f "$state/built" ]; then
        printf 'building %s (the sources have changed) …\n' "$me" >&2
    else
        printf 'building %s (first use, a minute or two) …\n' "$me" >&2
    fi
    rm -rf "${root:?}/$module/target/lib" # else jars of dependencies that are gone would stay on the class path
    maven "$state/build.log" -pl "$module" -am package -Dmaven.test.skip=true
    app=$state/$name
    if ! { mkdir "$app" && cp "$root/$module/target/tallystick-$module.jar" "$app" &&
        cp -R "$root/$module/target/lib" "$app" && mv -f "$state/started" "$state/built"; }; then
        rm -rf "$app"
        say "could not put the build into $state"
        exit 1
    fi
    # A process that still runs from an older build has its jars open, and keeps them.
    set -- "$state"/app.*
    while [ $# -gt 2 ]; do
        rm -rf "$1"
        shift
    done
}

# Archives the classes that the rehearsal loads. Whoever may not write here goes without.
rehearse() {
    [ -w "$app" ] || return
    # shellcheck disable=SC2086 # the arguments of the rehearsal are words
    "$java_home/bin/java" $native "-XX:ArchiveClassesAtExit=$archive.$$" -cp "$class_path" "$main" $rehearsal \
        </dev/null >/dev/null 2>&1
    [ -f "$archive.$$" ] && mv -f "$archive.$$" "$archive"
}

# One build at a time in a checkout, whichever module it is for. The kernel lets go of the lock when its owner dies.
# Without flock (macOS) it is a file with the owner's process id; should two find a dead owner in the same instant, both
# may build, and the worst of that is a build that fails and is repeated.
lock() {
    lock=$root/target/launch/lock
    waiting='waiting for another build to end …'
    if command -v flock >/dev/null; then
        exec 9>"$lock"
        flock -n 9 && return
        say "$waiting"
        flock 9
    else
        until (set -C && echo $$ >"$lock.pid") 2>/dev/null; do
            IFS= read -r owner <"$lock.pid" && ! ps -p "$owner" >/dev/null 2>&1 && rm -f "$lock.pid" && continue
            [ -n "$waiting" ] && say "$waiting" && waiting=
            sleep 1
        done
        trap 'rm -f "$lock.pid"' EXIT
    fi
}

unlock() {
    exec 9>&-
    rm -f "$lock.pid"
    trap - EXIT
}
