# One kernel of several, with only its own unit's printf formats.
amdcompat inspect --kernel reduce pitcairn-1702.clo
amdcompat check --kernel reduce pitcairn-1702.clo
amdcompat convert --kernel backward units.amdil
amdcompat convert --kernel fill --to text pitcairn-1702.clo
amdcompat convert --kernel nothing units.amdil
# Of files that are compared, and of none.
amdcompat verify --kernel histogram cl2-tonga-code.clo cl2-tonga-code.clo
amdcompat verify --kernel nothing object-gfx906.hsaco object-gfx906.hsaco
amdcompat verify --target gfx900 object-gfx906.hsaco
amdcompat lift --target gfx1030 pitcairn-scale.clo
amdcompat roundtrip object-gfx906.hsaco
amdcompat stub --api hip bonaire-1912-64.clo
amdcompat stub --api hip no-kernels.clo
amdcompat convert --target gfx906:xnack+:xnack- --to elf -o $OUT.hsaco object-gfx906.hsaco
amdcompat pack --template counters.amdil
