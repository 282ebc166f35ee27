# Without a compiler, so that every machine prints the same.
amdcompat doctor --compiler none --gpu 'RX 6800' pitcairn-scale.clo
amdcompat doctor --compiler none --gpu 'HD 7970' pitcairn-scale-64.clo
amdcompat doctor --compiler none --gpu gfx906 object-gfx906.hsaco
amdcompat doctor --compiler none --gpu cpu cl2-tonga-code.clo
amdcompat doctor --compiler none --gpu gfx1100 cypress-1800.clo il-only.clo no-kernels.clo
amdcompat doctor --compiler none --gpu gfx1030 ../refused/damaged.amdil
amdcompat doctor --compiler none --gpu 'RX 6800' --format json pitcairn-scale.clo
amdcompat doctor --gpu 'RX 6880' pitcairn-scale.clo
amdcompat doctor --gpu cpu no-such-file
amdcompat devices --boards | head -4
amdcompat devices --targets | head -4
amdcompat devices --boards --format json | head -8
