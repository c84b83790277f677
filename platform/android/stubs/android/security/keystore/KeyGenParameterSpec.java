package android.security.keystore;

public final class KeyGenParameterSpec implements java.security.spec.AlgorithmParameterSpec {
	public String alias;
	public int purposes, size;
	public String[] modes, pads;
	public static final class Builder {
		private final KeyGenParameterSpec s = new KeyGenParameterSpec();
		public Builder(String a, int p) { if (a.isEmpty()) throw new IllegalArgumentException("keystoreAlias must not be empty"); s.alias = a; s.purposes = p; }
		public Builder setBlockModes(String... m) { s.modes = m; return this; }
		public Builder setEncryptionPaddings(String... p) { s.pads = p; return this; }
		public Builder setKeySize(int n) { s.size = n; return this; }
		public KeyGenParameterSpec build() { return s; }
	}
}
