//go:build android || jvmtest

package android

// ivSize is that of AES-GCM in the key store, which chooses it anew for each value; tagSize is that of the seal.
const ivSize, tagSize = 12, 16

// Seal encrypts plain with the key of this name (AES-256, GCM), which never leaves Android's key store and is made at the
// first use. The result holds all that Open needs but the key.
func Seal(name string, plain []byte) ([]byte, error) {
	var sealed []byte
	err := run(func(t *thread) {
		key := t.key(name, true)
		c := t.cipher()
		t.void(c, "javax/crypto/Cipher.init(ILjava/security/Key;)V", 1, key)
		iv := t.goBytes(t.object(c, "javax/crypto/Cipher.getIV()[B"))
		data := t.goBytes(t.object(c, "javax/crypto/Cipher.doFinal([B)[B", plain))
		if t.err == nil && len(iv) != ivSize {
			t.err = &Exception{Call: "javax/crypto/Cipher.getIV", Message: "an initialisation vector of another size than 12"}
		}
		sealed = append(iv, data...)
	})
	if err != nil {
		return nil, err
	}
	return sealed, nil
}

// Unseal decrypts what Seal made. It fails if the key is gone (a restore on another phone, a removed lock screen on some),
// or if a bit of the value is another.
func Unseal(name string, sealed []byte) ([]byte, error) {
	if len(sealed) < ivSize+tagSize {
		return nil, &Exception{Call: "Unseal", Message: "the sealed value is cut off"}
	}
	var plain []byte
	err := run(func(t *thread) {
		key := t.key(name, false)
		c := t.cipher()
		spec := t.create("javax/crypto/spec/GCMParameterSpec.<init>(I[B)V", 8*tagSize, sealed[:ivSize])
		t.void(c, "javax/crypto/Cipher.init(ILjava/security/Key;Ljava/security/spec/AlgorithmParameterSpec;)V", 2, key, spec)
		plain = t.goBytes(t.object(c, "javax/crypto/Cipher.doFinal([B)[B", sealed[ivSize:]))
	})
	if err != nil {
		return nil, err
	}
	return plain, nil
}

// DeleteKey removes the key of this name: what was sealed with it can't be opened any more.
func DeleteKey(name string) error {
	return run(func(t *thread) {
		t.void(t.keyStore(), "java/security/KeyStore.deleteEntry(Ljava/lang/String;)V", name)
	})
}

func (t *thread) keyStore() object {
	store := t.static("java/security/KeyStore.getInstance(Ljava/lang/String;)Ljava/security/KeyStore;", "AndroidKeyStore")
	t.void(store, "java/security/KeyStore.load(Ljava/security/KeyStore$LoadStoreParameter;)V", nil)
	return store
}

func (t *thread) cipher() object {
	return t.static("javax/crypto/Cipher.getInstance(Ljava/lang/String;)Ljavax/crypto/Cipher;", "AES/GCM/NoPadding")
}

// key finds the key, or makes it.
func (t *thread) key(name string, create bool) object {
	key := t.object(t.keyStore(), "java/security/KeyStore.getKey(Ljava/lang/String;[C)Ljava/security/Key;", name, nil)
	if key != 0 || t.err != nil {
		return key
	}
	if !create {
		t.err = &Exception{Call: "java/security/KeyStore.getKey", Message: "the key is gone; what it sealed is lost, and has to be entered anew"}
		return 0
	}
	const builder = "android/security/keystore/KeyGenParameterSpec$Builder"
	const itself = "Landroid/security/keystore/KeyGenParameterSpec$Builder;"
	b := t.create(builder+".<init>(Ljava/lang/String;I)V", name, 3) // PURPOSE_ENCRYPT | PURPOSE_DECRYPT
	t.object(b, builder+".setBlockModes([Ljava/lang/String;)"+itself, []string{"GCM"})
	t.object(b, builder+".setEncryptionPaddings([Ljava/lang/String;)"+itself, []string{"NoPadding"})
	t.object(b, builder+".setKeySize(I)"+itself, 256)
	spec := t.object(b, builder+".build()Landroid/security/keystore/KeyGenParameterSpec;")
	g := t.static("javax/crypto/KeyGenerator.getInstance(Ljava/lang/String;Ljava/lang/String;)Ljavax/crypto/KeyGenerator;", "AES", "AndroidKeyStore")
	t.void(g, "javax/crypto/KeyGenerator.init(Ljava/security/spec/AlgorithmParameterSpec;)V", spec)
	return t.object(g, "javax/crypto/KeyGenerator.generateKey()Ljavax/crypto/SecretKey;")
}
