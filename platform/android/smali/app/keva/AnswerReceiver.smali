# Takes what was tapped on a notification, and what becomes of the service, over to Go (answer.go). Go decides whether an
# answer counts; here nothing is decided. It is not exported: only our own pending intents reach it.
.class public final Lapp/keva/AnswerReceiver;
.super Landroid/content/BroadcastReceiver;
.source "AnswerReceiver.smali"

.method public constructor <init>()V
    .registers 1
    invoke-direct {p0}, Landroid/content/BroadcastReceiver;-><init>()V
    return-void
.end method

# Implemented in Go.
.method private static native deliver(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V
.end method

# boolean tell(String kind, String a, String b, String c): false if there is no Go in this process. So it is when a
# notification outlived the process that showed it, and a tap started a new one without the app.
.method static tell(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Z
    .registers 5
    :try_start
    invoke-static {p0, p1, p2, p3}, Lapp/keva/AnswerReceiver;->deliver(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V
    :try_end
    .catch Ljava/lang/UnsatisfiedLinkError; {:try_start .. :try_end} :nobody
    const/4 v0, 0x1
    return v0
    :nobody
    const/4 v0, 0x0
    return v0
.end method

.method public onReceive(Landroid/content/Context;Landroid/content/Intent;)V
    .registers 8
    if-eqz p2, :end
    const-string v0, "nonce"
    invoke-virtual {p2, v0}, Landroid/content/Intent;->getStringExtra(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v0
    const-string v1, "request"
    invoke-virtual {p2, v1}, Landroid/content/Intent;->getStringExtra(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v1
    const-string v2, "answer"
    invoke-virtual {p2, v2}, Landroid/content/Intent;->getStringExtra(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v2
    const-string v3, "answer"
    invoke-static {v3, v0, v1, v2}, Lapp/keva/AnswerReceiver;->tell(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Z
    move-result v0
    if-nez v0, :end
    # The notification is of a process that is gone.
    const-string v0, "notification"
    invoke-virtual {p1, v0}, Landroid/content/Context;->getSystemService(Ljava/lang/String;)Ljava/lang/Object;
    move-result-object v0
    check-cast v0, Landroid/app/NotificationManager;
    const/16 v1, 0x2a
    invoke-virtual {v0, v1}, Landroid/app/NotificationManager;->cancel(I)V
    :end
    return-void
.end method
