# Holds the namespaces it is started in: until its standard input ends, or for good once it has read "keep" there. Process
# 1 of its namespace: whatever runs inside ends with it.
exec 3<&0 </dev/null
echo ready
exec >/dev/null 2>&1
# The shell waits, and takes note of the end of everything that has lost its parent.
(read -r word <&3 && [ "$word" = keep ] && exec 3<&- sleep infinity) &
wait $!
