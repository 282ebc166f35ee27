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
cd ${OUT%/*} && mkdir -p tree && printf '{}' > l.json && for verb in check inspect layout 'extract -o x' 'printf --buffer l.json' verify convert 'convert --summary -q' 'roundtrip --all' 'pack --template' 'run --launch l.json'; do amdcompat $verb tree 2>&1; echo "$verb: $?"; done
cd ${OUT%/*} && printf 'PK\003\004' > a.zip && for verb in check inspect layout 'extract -o x' 'printf --buffer l.json' verify convert 'roundtrip --all' 'pack --template'; do amdcompat $verb - < a.zip 2>&1 | grep AC; done
