# Keeps the process in the foreground while work is live. Go makes the notification and hands it over in the intent; this
# class shows it and tells Go what becomes of it. It never restarts by itself: what was at work is for Go to find out.
.class public final Lapp/keva/RunService;
.super Landroid/app/Service;
.source "RunService.smali"

.method public constructor <init>()V
    .registers 1
    invoke-direct {p0}, Landroid/app/Service;-><init>()V
    return-void
.end method

.method public onBind(Landroid/content/Intent;)Landroid/os/IBinder;
    .registers 3
    const/4 v0, 0x0
    return-object v0
.end method

.method private static tell(Ljava/lang/String;Ljava/lang/String;)V
    .registers 4
    const-string v0, "service"
    const/4 v1, 0x0
    invoke-static {v0, p0, p1, v1}, Lapp/keva/AnswerReceiver;->tell(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Z
    return-void
.end method

# The notification comes first, also when it is to stop: Android ends an app that started a service and did not show one.
.method public onStartCommand(Landroid/content/Intent;II)I
    .registers 10
    const/4 v5, 0x2                 # START_NOT_STICKY
    const/4 v4, 0x0
    if-nez p1, :have
    invoke-virtual {p0}, Lapp/keva/RunService;->stopSelf()V
    return v5

    :have
    :try_start
    const-string v0, "notification"
    invoke-virtual {p1, v0}, Landroid/content/Intent;->getParcelableExtra(Ljava/lang/String;)Landroid/os/Parcelable;
    move-result-object v0
    check-cast v0, Landroid/app/Notification;
    const/16 v1, 0x2a
    invoke-virtual {p0, v1, v0}, Lapp/keva/RunService;->startForeground(ILandroid/app/Notification;)V
    :try_end
    .catch Ljava/lang/RuntimeException; {:try_start .. :try_end} :refused

    const-string v0, "stop"
    const/4 v1, 0x0
    invoke-virtual {p1, v0, v1}, Landroid/content/Intent;->getBooleanExtra(Ljava/lang/String;Z)Z
    move-result v0
    if-nez v0, :stop
    const-string v0, "started"
    invoke-static {v0, v4}, Lapp/keva/RunService;->tell(Ljava/lang/String;Ljava/lang/String;)V
    return v5

    :stop
    const/4 v1, 0x1
    invoke-virtual {p0, v1}, Lapp/keva/RunService;->stopForeground(Z)V
    invoke-virtual {p0}, Lapp/keva/RunService;->stopSelf()V
    return v5

    :refused
    move-exception v0
    invoke-virtual {v0}, Ljava/lang/RuntimeException;->toString()Ljava/lang/String;
    move-result-object v0
    const-string v1, "refused"
    invoke-static {v1, v0}, Lapp/keva/RunService;->tell(Ljava/lang/String;Ljava/lang/String;)V
    invoke-virtual {p0}, Lapp/keva/RunService;->stopSelf()V
    return v5
.end method

# Android 14 and 15 end a service that ran too long; one that does not end at once is an error of the app.
.method public onTimeout(I)V
    .registers 4
    const-string v0, "timeout"
    const/4 v1, 0x0
    invoke-static {v0, v1}, Lapp/keva/RunService;->tell(Ljava/lang/String;Ljava/lang/String;)V
    invoke-virtual {p0}, Lapp/keva/RunService;->stopSelf()V
    return-void
.end method

.method public onTimeout(II)V
    .registers 3
    invoke-virtual {p0, p1}, Lapp/keva/RunService;->onTimeout(I)V
    return-void
.end method

# The app was swiped away. Whether work goes on is Go's decision.
.method public onTaskRemoved(Landroid/content/Intent;)V
    .registers 4
    const-string v0, "task_removed"
    const/4 v1, 0x0
    invoke-static {v0, v1}, Lapp/keva/RunService;->tell(Ljava/lang/String;Ljava/lang/String;)V
    return-void
.end method

.method public onDestroy()V
    .registers 3
    const-string v0, "destroyed"
    const/4 v1, 0x0
    invoke-static {v0, v1}, Lapp/keva/RunService;->tell(Ljava/lang/String;Ljava/lang/String;)V
    invoke-super {p0}, Landroid/app/Service;->onDestroy()V
    return-void
.end method
