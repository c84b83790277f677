//go:build android || jvmtest

package android

import (
	"errors"
	"sync"
)

const (
	serviceClass  = "app.keva.RunService"
	receiverClass = "app.keva.AnswerReceiver"
	noticeID      = 42 // as in the Java classes
	smallIcon     = 0x0108009b
	builder       = "android/app/Notification$Builder."
	same          = "Landroid/app/Notification$Builder;"
)

// The two channels, which the user finds in Android's settings.
var channels = map[bool]struct {
	id, name   string
	importance int
}{
	false: {"keva.run", "Work in progress", 2},    // IMPORTANCE_LOW: no sound
	true:  {"keva.ask", "Keva asks for leave", 4}, // IMPORTANCE_HIGH
}

// foreground is what is known of the service.
var foreground struct {
	sync.Mutex
	asked bool // for it to run
	alive bool // no news of its end: another start is an update
}

// ShowForeground starts the service with this notification, or changes the notification of the running one. Whether
// Android took it comes to the Listener. Taps on buttons of earlier notices are refused from now on.
func ShowForeground(n Notice) error {
	foreground.Lock()
	defer foreground.Unlock()
	received.answers.show(n.Request, n.Stop)
	err := run(func(t *thread) {
		shown := t.notification(n)
		if foreground.alive {
			t.void(t.service("notification"), "android/app/NotificationManager.notify(ILandroid/app/Notification;)V", noticeID, shown)
			return
		}
		t.object(t.ctx, "android/content/Context.startForegroundService(Landroid/content/Intent;)Landroid/content/ComponentName;", t.serviceIntent(shown, false))
	})
	if err == nil {
		foreground.asked, foreground.alive = true, true
	}
	return err
}

// EndForeground stops the service and takes the notification away. It does nothing if the service was not asked for.
func EndForeground() error {
	foreground.Lock()
	defer foreground.Unlock()
	received.answers.show("", false)
	if !foreground.asked {
		return nil
	}
	// By a command that shows a notification once more: a service that is stopped before its first command has come
	// through makes Android end the app.
	var command error
	if foreground.alive {
		command = run(func(t *thread) {
			shown := t.notification(Notice{Title: "Keva"})
			t.object(t.ctx, "android/content/Context.startService(Landroid/content/Intent;)Landroid/content/ComponentName;", t.serviceIntent(shown, true))
		})
	}
	if !foreground.alive || command != nil { // Android lets an app in the background start nothing
		err := run(func(t *thread) {
			t.bool(t.ctx, "android/content/Context.stopService(Landroid/content/Intent;)Z", t.serviceIntent(0, true))
		})
		if err != nil {
			return errors.Join(command, err)
		}
	}
	foreground.asked, foreground.alive = false, false
	return nil
}

// serviceGone is told by the service itself: the next ShowForeground starts it anew.
func serviceGone() {
	foreground.Lock()
	defer foreground.Unlock()
	foreground.alive = false
}

func (t *thread) serviceIntent(notification object, stop bool) object {
	i := t.create(intent + "<init>()V")
	t.object(i, intent+"setClassName(Landroid/content/Context;Ljava/lang/String;)"+itself, t.ctx, serviceClass)
	if notification != 0 {
		t.object(i, intent+"putExtra(Ljava/lang/String;Landroid/os/Parcelable;)"+itself, "notification", notification)
	}
	t.object(i, intent+"putExtra(Ljava/lang/String;Z)"+itself, "stop", stop)
	return i
}

// notification makes Android's form of a notice.
func (t *thread) notification(n Notice) object {
	ask := n.Request != ""
	c := channels[ask]
	channel := t.create("android/app/NotificationChannel.<init>(Ljava/lang/String;Ljava/lang/CharSequence;I)V", c.id, c.name, c.importance)
	t.void(t.service("notification"), "android/app/NotificationManager.createNotificationChannel(Landroid/app/NotificationChannel;)V", channel)
	b := t.create(builder+"<init>(Landroid/content/Context;Ljava/lang/String;)V", t.ctx, c.id)
	t.object(b, builder+"setContentTitle(Ljava/lang/CharSequence;)"+same, n.Title)
	t.object(b, builder+"setContentText(Ljava/lang/CharSequence;)"+same, n.Text)
	t.object(b, builder+"setSmallIcon(I)"+same, smallIcon)
	t.object(b, builder+"setOngoing(Z)"+same, true)
	t.object(b, builder+"setOnlyAlertOnce(Z)"+same, !ask)
	t.object(b, builder+"setVisibility(I)"+same, 0) // VISIBILITY_PRIVATE: not on a locked screen
	sdk := t.sdk()
	if sdk >= 31 {
		t.object(b, builder+"setForegroundServiceBehavior(I)"+same, 1) // at once, not after ten seconds
	}
	pm := t.object(t.ctx, "android/content/Context.getPackageManager()Landroid/content/pm/PackageManager;")
	if open := t.object(pm, "android/content/pm/PackageManager.getLaunchIntentForPackage(Ljava/lang/String;)Landroid/content/Intent;", t.packageName()); open != 0 {
		p := t.static("android/app/PendingIntent.getActivity(Landroid/content/Context;ILandroid/content/Intent;I)Landroid/app/PendingIntent;",
			t.ctx, 0, open, 0x04000000) // FLAG_IMMUTABLE
		t.object(b, builder+"setContentIntent(Landroid/app/PendingIntent;)"+same, p)
	}
	if ask {
		t.button(b, "Allow once", n.Request, ChoiceAllowOnce, sdk)
		t.button(b, "Deny", n.Request, ChoiceDeny, sdk)
	}
	if n.Stop {
		t.button(b, "Stop", "", ChoiceStop, sdk)
	}
	return t.object(b, builder+"build()Landroid/app/Notification;")
}

// button adds an answer. Its action names launch, choice and request, since Android takes pending intents that differ only
// in their extras for one, and would give an old button the new request.
func (t *thread) button(b object, label, request string, choice Choice, sdk int) {
	nonce := received.answers.nonce
	i := t.intent("app.keva.answer/" + nonce + "/" + string(choice) + "/" + request)
	t.object(i, intent+"setClassName(Landroid/content/Context;Ljava/lang/String;)"+itself, t.ctx, receiverClass)
	t.put(i, "nonce", nonce)
	t.put(i, "request", request)
	t.put(i, "answer", string(choice))
	p := t.static("android/app/PendingIntent.getBroadcast(Landroid/content/Context;ILandroid/content/Intent;I)Landroid/app/PendingIntent;",
		t.ctx, 0, i, 0x44000000) // FLAG_ONE_SHOT | FLAG_IMMUTABLE
	const action = "android/app/Notification$Action$Builder."
	a := t.create(action+"<init>(ILjava/lang/CharSequence;Landroid/app/PendingIntent;)V", 0, label, p)
	if choice == ChoiceAllowOnce && sdk >= 31 { // not from a locked screen
		t.object(a, action+"setAuthenticationRequired(Z)Landroid/app/Notification$Action$Builder;", true)
	}
	built := t.object(a, action+"build()Landroid/app/Notification$Action;")
	t.object(b, builder+"addAction(Landroid/app/Notification$Action;)"+same, built)
}
