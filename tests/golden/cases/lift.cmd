# Machine code as OpenCL C: outputs, statuses and what is refused.
amdcompat lift --help
amdcompat lift pitcairn-scale.clo
amdcompat lift --annotate -o $OUT.cl pitcairn-scale-64.clo; test -s $OUT.cl && grep -c . $OUT.cl
amdcompat lift --format json pitcairn-scale.clo
# Some kernels of a file, one of them, and none.
amdcompat lift -q --format json pitcairn-1702.clo
amdcompat lift --kernel scale pitcairn-scale.clo > $OUT.cl
amdcompat lift --kernel nobody pitcairn-scale.clo
amdcompat lift -o $OUT.none values-32.amdil; test -e $OUT.none || echo nothing written
amdcompat lift no-kernels.clo cypress-1800.clo --out-dir $OUT.none; ls $OUT.none
# Forms, and denormals.
amdcompat lift --form work-item --exact pitcairn-scale.clo
amdcompat lift --form wave pitcairn-scale.clo
# Several files, and wrong usage.
amdcompat lift --out-dir $OUT.dir pitcairn-scale.clo pitcairn-scale-64.clo pitcairn-scale.clo; ls $OUT.dir
amdcompat lift --format json pitcairn-scale.clo pitcairn-scale-64.clo | wc -l
amdcompat lift pitcairn-scale.clo pitcairn-scale-64.clo
amdcompat lift -o a --out-dir b pitcairn-scale.clo
amdcompat lift -o $OUT.none/none/a.cl no-such-file.clo
amdcompat lift -o no-directory/a.cl pitcairn-scale.clo
amdcompat lift - < pitcairn-scale.clo > $OUT.cl
# Why a kernel is in the wave form: v_mul_lo_i32 v1, v1, s21 made v_readlane_b32 s0, v1, s21 and v_mov_b32 v1, s0.
LC_ALL=C sed 's/\x01\x00\xd6\xd2\x01\x2b\x00\x00/\x01\x2b\x00\x02\x00\x02\x02\x7e/' pitcairn-scale.clo | amdcompat lift --format json - | grep -o '"fallback":{[^}]*}'
