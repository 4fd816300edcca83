# What a weight file holds.
encode-inspect --verify new.weights
encode-inspect rms.weights | head -n 40
encode-inspect --verify token.weights
encode-inspect -f json labels.weights
