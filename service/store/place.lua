#!lua
-- Writes a whole stream where none is, and never was.
-- KEYS: stream, gone, then one index list for each index operation.
-- ARGV: game, since, number of entries, then t v d m h of each, "add" or "drop" for each list.
-- Returns {"won"}, {"conflict"} where there is a stream, {"gone", why, fact}.
local fault = misfit({'stream', 'hash'})
if fault then return fault end
local gone = tombstone(KEYS[2])
if gone then return gone end
if redis.call('EXISTS', KEYS[1]) == 1 then return {'conflict'} end
if not orders(ARGV[2]) then return redis.error_reply('ERR since is no number') end

local entries = tonumber(ARGV[3])
for version = 1, entries do add(KEYS[1], version, 5 * version - 1) end
reindex(3, 4 + 5 * entries, ARGV[1], ARGV[2])
return {'won'}
