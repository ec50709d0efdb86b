-- Counts a request of a member, or of a mesh, against its budget, unless it is a free repeat of one that was counted in this window.
-- Returns 0 if it is within the budget, and otherwise how many milliseconds are left of the window.
--
-- KEYS[1]  the window of the member, or of the mesh: when it began, in ms, and how much is used
-- KEYS[2]  what was granted in it: fingerprint:idempotency key -> free repeats so far
-- ARGV     window in ms, budget, free repeats, idempotency key, fingerprint, cost
--
-- The clock is that of Redis, which all brokers share; a window never goes back. Windows are compared by
-- their starts, which mean the same to brokers whose windows are of different lengths.

local window = tonumber(ARGV[1])
local budget = tonumber(ARGV[2])
local free = tonumber(ARGV[3])
local cost = tonumber(ARGV[6])
local request = ARGV[5] .. ':' .. ARGV[4]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local start = math.floor(now / window) * window
local used = 0
local state = redis.call('HMGET', KEYS[1], 'start', 'used')
if state[1] and tonumber(state[1]) >= start then
    start = tonumber(state[1])
    used = tonumber(state[2])
else
    redis.call('UNLINK', KEYS[2])
end
local left = math.max(1, (math.floor(start / window) + 1) * window - now)

-- Once the free repeats are used up, their number stays, and every further repeat costs.
local repeats = tonumber(redis.call('HGET', KEYS[2], request) or -1)
if repeats >= 0 and repeats < free then
    repeats = repeats + 1
else
    repeats = math.max(repeats, 0)
    if used + cost > budget then
        return left
    end
    used = used + cost
end
redis.call('HSET', KEYS[1], 'start', start, 'used', used)
redis.call('HSET', KEYS[2], request, repeats)
redis.call('PEXPIRE', KEYS[1], left + window)
redis.call('PEXPIRE', KEYS[2], left + window)
return 0
