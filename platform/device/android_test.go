//go:build jvmtest

package device

import (
	"testing"

	"keva/platform/android"
)

// What the Keystore says of a blob that nobody can open any more is a lost key; trouble in reaching it is not.
func TestLostKeys(t *testing.T) {
	for class, want := range map[string]bool{
		"java.security.UnrecoverableKeyException": true, "android.security.keystore.KeyPermanentlyInvalidatedException": true,
		"javax.crypto.AEADBadTagException": true, "java.security.KeyStoreException": false, "java.lang.RuntimeException": false,
	} {
		if got := lost(&android.Exception{Call: "javax/crypto/Cipher.doFinal", Class: class}); got != want {
			t.Errorf("%s: %v", class, got)
		}
	}
	if !lost(&android.Exception{Call: "java/security/KeyStore.getKey"}) || lost(&android.Exception{Call: "Unseal"}) {
		t.Error("a missing key")
	}
}

func TestExitWords(t *testing.T) {
	seen := map[string]android.ExitReason{}
	for r := android.ExitUnknown; r <= android.ExitPackageUpdated; r++ {
		word, _ := exitWords(r)
		if word == "" {
			t.Errorf("%d has no words", r)
		}
		seen[word] = r
	}
	if _, bad := exitWords(99); !bad {
		t.Error("an unknown reason is fine?")
	}
	if len(seen) < 12 {
		t.Errorf("only %d different words", len(seen))
	}
}
