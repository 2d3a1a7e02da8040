#!lua
-- Takes what is due: pushes each time on by its kind's lease and counts the taking.
-- KEYS: due, leases. ARGV: most, lease of other kinds, then kind and lease (ms) of each.
-- Returns in how many ms the first piece of work is due then (nil: none is owed), and of each taken
-- its member, due time and count, oldest first.
local fault = misfit({'zset', 'hash'})
if fault then return fault end
local present = now()
local leases = {}
for at = 3, #ARGV, 2 do leases[ARGV[at]] = tonumber(ARGV[at + 1]) end
local taken = {false}
local found = redis.call('ZRANGE', KEYS[1], '-inf', present, 'BYSCORE', 'LIMIT', 0, ARGV[1],
  'WITHSCORES')
for at = 1, #found, 2 do
  local member = found[at]
  local lease = leases[string.match(member, ':([^-]*)')] or tonumber(ARGV[2])
  redis.call('ZADD', KEYS[1], 'XX', present + lease, member)
  taken[#taken + 1] = member
  taken[#taken + 1] = found[at + 1]
  taken[#taken + 1] = redis.call('HINCRBY', KEYS[2], member, 1)
end
local following = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if following then taken[1] = math.max(0, math.ceil(tonumber(following)) - present) end
return taken
