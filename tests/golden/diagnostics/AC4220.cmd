convert --to yaml --target gfx906:xnack+ FILE
