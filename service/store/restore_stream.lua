#!lua
-- Writes an archived stream back in place of its tombstone.
-- KEYS: stream, gone, then one index list for each index operation.
-- ARGV: game, since, number of entries, then t v d m h of each, "add" or "drop" for each list.
-- Returns 1, or 0 where there is no tombstone of an archived stream.
local fault = wrong_type({'stream', 'hash'})
if fault then return fault end
if redis.call('HGET', KEYS[2], 'why') ~= 'archived' then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.error_reply('CORRUPT ' .. KEYS[1] .. ' stands beside its tombstone')
end
if not is_number(ARGV[2]) then return redis.error_reply('ERR since is not a number') end

redis.call('DEL', KEYS[2])
local entries = tonumber(ARGV[3])
for version = 1, entries do add_entry(KEYS[1], version, 5 * version - 1) end
update_indexes(3, 4 + 5 * entries, ARGV[1], ARGV[2])
return 1
