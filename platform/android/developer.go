//go:build android || jvmtest

package android

// OpenDeveloperOptions shows Android's page where "Disable child process restrictions" is, when the user has switched the
// developer options on.
func OpenDeveloperOptions() error {
	return run(func(t *thread) { t.start(t.intent("android.settings.APPLICATION_DEVELOPMENT_SETTINGS")) })
}
