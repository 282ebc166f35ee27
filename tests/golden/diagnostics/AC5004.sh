amdcompat pack --template -o launch.json pitcairn-scale.clo
amdcompat run $STRICT --launch launch.json --instructions 10 pitcairn-scale.clo
