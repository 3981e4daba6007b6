package io.ocicat.plugins.flannel;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.PluginConfig;
import io.ocicat.plugins.net.AttachmentOwner;

/**
 * Hands an attachment's scratch file over to the Go plugin, whose DEL then removes it: under the
 * container's id alone.
 */
public final class FlannelHandOver {
  private FlannelHandOver() {}

  public static void handOver(AttachmentOwner owner, PluginConfig request) {
    Attachment attachment = new Attachment(owner.container().value(), owner.ifName().value());
    new ScratchFiles(FlannelConf.dataDir(request))
        .leaveToTheOriginal(new ScratchName(attachment, owner.network().value()));
  }
}
