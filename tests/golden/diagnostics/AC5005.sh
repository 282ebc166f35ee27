amdcompat pack --template -o launch.json pitcairn-scale.clo
amdcompat run $STRICT --launch launch.json --dump 0xdead0000:4:out pitcairn-scale.clo
