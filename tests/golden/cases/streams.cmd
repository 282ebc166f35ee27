# Several inputs, standard input, outputs into files.
amdcompat convert - < blockstring.hsail
amdcompat check crlf.amdil counters.amdil
amdcompat check --format json counters.amdil images.amdil
amdcompat inspect blockstring.hsail crlf.amdil
amdcompat convert --summary crlf.amdil counters.amdil no-kernels.clo > $OUT && cat $OUT
amdcompat convert --out-dir $OUT.dir --to msgpack --summary crlf.amdil blockstring.hsail && ls $OUT.dir && od -An -tx1 $OUT.dir/blockstring.hsail.msgpack | head -4
amdcompat convert --strict counters.amdil
amdcompat convert --format json counters.amdil > /dev/null
amdcompat roundtrip crlf.amdil module.hsail data-segments.amdil
