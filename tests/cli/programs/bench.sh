# Shapes that no model has, and options of encode-bench that are wrong.
export TMPDIR=.
encode-bench --shape 1000/100000/1/100000
encode-bench --shape 6/384/7/1536
encode-bench --shape 6/384/0/1536
encode-bench --shape 6/x/12/1536
encode-bench --shape 6/384/12/1536/10
encode-bench --shape 6/384/12/
encode-bench --shape 6/384/12
encode-bench --shape 6/384/12/1536/30522/1
encode-bench --shape 6x384
encode-bench --shape 6/0/12/1536
encode-bench --shape ''
encode-bench --type f64
encode-bench --type f32,
encode-bench --type ''
encode-bench --workloads lat17
encode-bench --workloads lat16,,thr
encode-bench -t 0
encode-bench -t 1,x
encode-bench -t 1,2,
encode-bench -t 99999
encode-bench --seconds 0
encode-bench --seconds 0.0009
encode-bench --seconds -1
encode-bench --seconds x
encode-bench --runs 0
encode-bench --runs 1.5
encode-bench --seed x
encode-bench -f xml
encode-bench -m a.weights --shape 1/32/2/64
encode-bench -m a.weights --type f32
encode-bench -m -
encode-bench extra
encode-bench --nonsense
encode-bench -t 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
encode-bench --help >/dev/full
encode-bench -t 1 --shape 1/30/4/64
encode-bench -t 1 --shape 1/32/2/12345678901234567890
