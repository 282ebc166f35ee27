# One kernel of several, with only its own unit's printf formats.
amdcompat inspect --kernel reduce pitcairn-1702.clo
amdcompat check --kernel reduce pitcairn-1702.clo
amdcompat convert --kernel backward units.amdil
amdcompat convert --kernel fill --to text pitcairn-1702.clo
amdcompat convert --kernel nothing units.amdil
