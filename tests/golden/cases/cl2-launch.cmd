# What a CL2 kernel gets: its registers, its memory, and launches made from templates.
amdcompat inspect --registers cl2-hawaii-enqueue.clo
amdcompat inspect --registers cl2-gfx900.clo
amdcompat layout cl2-tonga-attributes.clo
amdcompat layout --kernel axpy cl2-bonaire-15_7-32.clo
amdcompat pack cl2-hawaii-enqueue.clo --kernel parent --template
amdcompat pack cl2-hawaii-enqueue.clo --kernel parent --template > $OUT; amdcompat pack cl2-hawaii-enqueue.clo --kernel parent --launch $OUT --explain
amdcompat pack cl2-hawaii-enqueue.clo --kernel generic --template > $OUT; amdcompat pack cl2-hawaii-enqueue.clo --kernel generic --launch $OUT -o $OUT.d && cat $OUT.d/launch-summary.json && wc -c < $OUT.d/kernarg.bin
amdcompat pack cl2-tonga-attributes.clo --kernel values --template > $OUT; amdcompat pack cl2-tonga-attributes.clo --kernel values --launch $OUT --explain
amdcompat pack cl2-fiji-pipes.clo --template > $OUT; amdcompat pack cl2-fiji-pipes.clo --launch $OUT --explain
amdcompat pack cl2-spectre-samplers-32.clo --kernel scale --template > $OUT; amdcompat pack cl2-spectre-samplers-32.clo --kernel scale --launch $OUT --explain
amdcompat pack cl2-spectre-samplers-32.clo --kernel volume --template > $OUT; amdcompat pack cl2-spectre-samplers-32.clo --kernel volume --launch $OUT -o $OUT.d && cat $OUT.d/launch-summary.json
amdcompat pack cl2-gfx900.clo --template > $OUT; amdcompat pack cl2-gfx900.clo --launch $OUT --explain
