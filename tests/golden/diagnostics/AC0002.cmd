convert -o no-such-directory/out.yaml AC4001.amdil
