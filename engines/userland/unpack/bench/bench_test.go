package bench

import (
	"os"
	"testing"
)

// TestRun: both ways work and are counted.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file, err := Synthetic(t.Context(), dir, "arm64", 10<<20)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), file, dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Ours) != 1 || len(res.Tar) != 1 || res.Ours[0].Written <= 0 || res.Ours[0].Durable < res.Ours[0].Written || res.Bytes < 9<<20 {
		t.Errorf("%+v", res)
	}
	if r := res.Ratio(); r[0] <= 0 || r[1] <= 0 || r[2] <= 0 {
		t.Errorf("ratios %v", r)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v (%v)", left, err)
	}
}

// BenchmarkUnpack compares with `zstd -d | tar x` and prints the table. KEVA_PACK names a real pack.
func BenchmarkUnpack(b *testing.B) {
	dir := b.TempDir()
	file := os.Getenv("KEVA_PACK")
	if file == "" {
		var err error
		if file, err = Synthetic(b.Context(), dir, "arm64", 300<<20); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	res, err := Run(b.Context(), file, dir, max(3, b.N))
	if err != nil {
		b.Fatal(err)
	}
	ratio := res.Ratio()
	b.ReportMetric(ratio[0], "ratio-written")
	b.ReportMetric(ratio[1], "ratio-durable")
	b.ReportMetric(ratio[2], "ratio-cpu")
	b.SetBytes(res.Bytes)
	if err := res.Print(os.Stderr); err != nil {
		b.Fatal(err)
	}
}
