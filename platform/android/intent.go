//go:build android || jvmtest

package android

const (
	intent = "android/content/Intent."
	itself = "Landroid/content/Intent;"
)

func (t *thread) intent(action string) object {
	return t.create(intent+"<init>(Ljava/lang/String;)V", action)
}

func (t *thread) intentFor(action, uri string) object {
	u := t.static("android/net/Uri.parse(Ljava/lang/String;)Landroid/net/Uri;", uri)
	return t.create(intent+"<init>(Ljava/lang/String;Landroid/net/Uri;)V", action, u)
}

func (t *thread) put(i object, key, value string) {
	t.object(i, intent+"putExtra(Ljava/lang/String;Ljava/lang/String;)"+itself, key, value)
}

// start opens an activity, in a task of its own: the present one may be about to be made anew.
func (t *thread) start(i object) {
	t.object(i, intent+"addFlags(I)"+itself, 0x10000000) // FLAG_ACTIVITY_NEW_TASK
	t.void(t.ctx, "android/content/Context.startActivity(Landroid/content/Intent;)V", i)
}

// OpenURL shows an address in the app that is for it. Which addresses may be opened is for the caller to say.
func OpenURL(address string) error {
	return run(func(t *thread) { t.start(t.intentFor("android.intent.action.VIEW", address)) })
}

// ShareText offers text to other apps, by Android's chooser with this title.
func ShareText(text, title string) error {
	return run(func(t *thread) {
		i := t.intent("android.intent.action.SEND")
		t.object(i, intent+"setType(Ljava/lang/String;)"+itself, "text/plain")
		t.put(i, "android.intent.extra.TEXT", text)
		t.start(t.static(intent+"createChooser(Landroid/content/Intent;Ljava/lang/CharSequence;)"+itself, i, title))
	})
}

// OpenAppSettings shows Android's page about this app.
func OpenAppSettings() error {
	return run(func(t *thread) {
		t.start(t.intentFor("android.settings.APPLICATION_DETAILS_SETTINGS", "package:"+t.packageName()))
	})
}

// NotificationsEnabled reports whether Android shows notifications of the app. From Android 13 on it asks the user by
// itself when the app shows its first one; an app for Android 9, as this, can't ask.
func NotificationsEnabled() (bool, error) {
	enabled := false
	err := run(func(t *thread) {
		enabled = t.bool(t.service("notification"), "android/app/NotificationManager.areNotificationsEnabled()Z")
	})
	return enabled && err == nil, err
}

// OpenNotificationSettings shows Android's page where notifications of the app are allowed.
func OpenNotificationSettings() error {
	return run(func(t *thread) {
		i := t.intent("android.settings.APP_NOTIFICATION_SETTINGS")
		t.put(i, "android.provider.extra.APP_PACKAGE", t.packageName())
		t.start(i)
	})
}

// Clipboard is the text on the clipboard, "" for none. Android gives it only to the app in front, and tells the user.
func Clipboard() (string, error) {
	text := ""
	err := run(func(t *thread) {
		clip := t.object(t.service("clipboard"), "android/content/ClipboardManager.getPrimaryClip()Landroid/content/ClipData;")
		if clip == 0 || t.err != nil || t.int(clip, "android/content/ClipData.getItemCount()I") == 0 {
			return
		}
		item := t.object(clip, "android/content/ClipData.getItemAt(I)Landroid/content/ClipData$Item;", 0)
		if chars := t.object(item, "android/content/ClipData$Item.getText()Ljava/lang/CharSequence;"); chars != 0 {
			text = t.text(chars, "java/lang/Object.toString()Ljava/lang/String;")
		}
	})
	return text, err
}

// SetClipboard puts text on the clipboard. label may be shown by Android.
func SetClipboard(label, text string) error {
	return run(func(t *thread) {
		clip := t.static("android/content/ClipData.newPlainText(Ljava/lang/CharSequence;Ljava/lang/CharSequence;)Landroid/content/ClipData;", label, text)
		t.void(t.service("clipboard"), "android/content/ClipboardManager.setPrimaryClip(Landroid/content/ClipData;)V", clip)
	})
}
