#!lua
-- Removes a stream of exactly one version with all that belongs to it; leaves a tombstone.
-- KEYS: stream, keys, gone, due, leases, hooks, deliveries, then one index list for each index operation.
-- ARGV: game, version, since, why, fact, number of kinds of work that end with it, the kinds,
--       "add" or "drop" for each index list.
-- Returns {"gone", why, fact}, {"conflict"} or {"won"}.
local fault = misfit({'stream', 'hash', 'hash', 'zset', 'hash', 'hash', 'hash'})
if fault then return fault end
local gone = tombstone(KEYS[3])
if gone then return gone end
local version, strange = head(KEYS[1])
if not version then return strange end
if version == 0 or version ~= tonumber(ARGV[2]) then return {'conflict'} end
if not orders(ARGV[3]) then return redis.error_reply('ERR since is no number') end

redis.call('HSET', KEYS[3], 'why', ARGV[4], 'fact', ARGV[5])
for _, hook in ipairs(redis.call('HKEYS', KEYS[6])) do
  local member = hooked(ARGV[1], hook)
  redis.call('ZREM', KEYS[4], member)
  redis.call('HDEL', KEYS[5], member)
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[6], KEYS[7])
local kinds = tonumber(ARGV[6])
for i = 7, 6 + kinds do
  local member = ARGV[1] .. ':' .. ARGV[i]
  redis.call('ZREM', KEYS[4], member)
  redis.call('HDEL', KEYS[5], member)
end
reindex(8, 7 + kinds, ARGV[1], ARGV[3])
return {'won'}
