amdcompat pack --template --kernel parent cl2-hawaii-enqueue.clo | sed 's/"default_queue": "[^"]*"/"default_queue": 0/' > launch.json
amdcompat pack $STRICT --kernel parent --launch launch.json --explain cl2-hawaii-enqueue.clo
