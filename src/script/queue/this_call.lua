-- By which a node knows when it heard of a process: the number of this call, the node's time, and the record that the
-- caller knows.

return function()
  return ARGV[3] .. ' ' .. string.format('%.0f', require('lib.clock')()) .. ' ' .. require('queue.known_record')
end
