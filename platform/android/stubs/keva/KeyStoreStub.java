package keva;

import android.security.keystore.KeyGenParameterSpec;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.*;
import java.security.cert.Certificate;
import java.security.spec.AlgorithmParameterSpec;
import java.util.*;
import javax.crypto.*;

/** A provider "AndroidKeyStore" whose keys live in memory. */
public class KeyStoreStub extends Provider {
	private static final Map<String, SecretKey> keys = new HashMap<>();

	public KeyStoreStub() {
		super("AndroidKeyStore", "1", "stand-in");
		put("KeyStore.AndroidKeyStore", Store.class.getName());
		put("KeyGenerator.AES", Generator.class.getName());
	}

	public static class Generator extends KeyGeneratorSpi {
		private KeyGenParameterSpec spec;
		protected void engineInit(SecureRandom r) {}
		protected void engineInit(int n, SecureRandom r) {}
		protected void engineInit(AlgorithmParameterSpec p, SecureRandom r) throws InvalidAlgorithmParameterException {
			spec = (KeyGenParameterSpec) p;
			if (!"GCM".equals(spec.modes[0]) || !"NoPadding".equals(spec.pads[0])) throw new InvalidAlgorithmParameterException();
		}
		protected SecretKey engineGenerateKey() {
			try {
				KeyGenerator g = KeyGenerator.getInstance("AES", "SunJCE");
				g.init(spec.size);
				SecretKey k = g.generateKey();
				keys.put(spec.alias, k);
				Log.add("key " + spec.alias + " " + spec.size + " purposes=" + spec.purposes);
				return k;
			} catch (GeneralSecurityException e) {
				throw new RuntimeException(e);
			}
		}
	}

	public static class Store extends KeyStoreSpi {
		public Key engineGetKey(String a, char[] p) { return keys.get(a); }
		public Certificate[] engineGetCertificateChain(String a) { return null; }
		public Certificate engineGetCertificate(String a) { return null; }
		public Date engineGetCreationDate(String a) { return null; }
		public void engineSetKeyEntry(String a, Key k, char[] p, Certificate[] c) {}
		public void engineSetKeyEntry(String a, byte[] k, Certificate[] c) {}
		public void engineSetCertificateEntry(String a, Certificate c) {}
		public void engineDeleteEntry(String a) { keys.remove(a); }
		public Enumeration<String> engineAliases() { return Collections.enumeration(keys.keySet()); }
		public boolean engineContainsAlias(String a) { return keys.containsKey(a); }
		public int engineSize() { return keys.size(); }
		public boolean engineIsKeyEntry(String a) { return true; }
		public boolean engineIsCertificateEntry(String a) { return false; }
		public String engineGetCertificateAlias(Certificate c) { return null; }
		public void engineStore(OutputStream o, char[] p) {}
		public void engineLoad(InputStream i, char[] p) {}
		public void engineLoad(KeyStore.LoadStoreParameter p) {}
	}
}
