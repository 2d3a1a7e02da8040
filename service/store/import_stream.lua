#!lua
-- Writes a whole stream where there is none and never was one.
-- KEYS: stream, gone, then one index list for each index operation.
-- ARGV: game, since, number of entries, then t v d m h of each, "add" or "drop" for each list.
-- Returns {"won"}, {"conflict"} where there is a stream, {"gone", why, fact}.
local fault = wrong_type({'stream', 'hash'})
if fault then return fault end
local gone = find_tombstone(KEYS[2])
if gone then return gone end
if redis.call('EXISTS', KEYS[1]) == 1 then return {'conflict'} end
if not is_number(ARGV[2]) then return redis.error_reply('ERR since is not a number') end

local entries = tonumber(ARGV[3])
for version = 1, entries do add_entry(KEYS[1], version, 5 * version - 1) end
update_indexes(3, 4 + 5 * entries, ARGV[1], ARGV[2])
return {'won'}
