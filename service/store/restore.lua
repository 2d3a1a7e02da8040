#!lua
-- Writes an archived stream back in place of its tombstone.
-- KEYS: stream, gone, then index lists. ARGV: game, since, then t v d m h of each entry.
-- Returns 1, or 0 when there is no archived tombstone.
if redis.call('HGET', KEYS[2], 'why') ~= 'archived' then return 0 end
redis.call('DEL', KEYS[2])
local version = 0
for at = 3, #ARGV, 5 do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 't', ARGV[at], 'v', ARGV[at + 1],
    'd', ARGV[at + 2], 'm', ARGV[at + 3], 'h', ARGV[at + 4])
end
for i = 3, #KEYS do redis.call('ZADD', KEYS[i], ARGV[2], ARGV[1]) end
return 1
