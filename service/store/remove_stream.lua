#!lua
-- Removes a stream of exactly the given version with all that belongs to it; leaves a tombstone.
-- KEYS: stream, keys, gone, due, leases, webhooks, deliveries, then the list of each index
--       operation.
-- ARGV: game, version, since, why, fact, number of kinds of work that end with it, those kinds,
--       "add" or "drop" for each index list.
-- Returns {"gone", why, fact}, {"conflict"} or {"won"}.
local fault = wrong_type({'stream', 'hash', 'hash', 'zset', 'hash', 'hash', 'hash'})
if fault then return fault end
local gone = find_tombstone(KEYS[3])
if gone then return gone end
local version, corrupt = read_head(KEYS[1])
if not version then return corrupt end
if version == 0 or version ~= tonumber(ARGV[2]) then return {'conflict'} end
if not is_number(ARGV[3]) then return redis.error_reply('ERR since is not a number') end

redis.call('HSET', KEYS[3], 'why', ARGV[4], 'fact', ARGV[5])
for _, webhook in ipairs(redis.call('HKEYS', KEYS[6])) do
  local member = webhook_member(ARGV[1], webhook)
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
update_indexes(8, 7 + kinds, ARGV[1], ARGV[3])
return {'won'}
