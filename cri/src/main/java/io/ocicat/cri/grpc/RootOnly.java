package io.ocicat.cri.grpc;

import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.util.AsciiString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * Cleartext HTTP/2 for peers that run as this process does, which is root. The file's mode keeps
 * others out as well; this holds when somebody changed it.
 *
 * <p>gRPC has no other place where a connection can be refused before it is served.
 */
final class RootOnly implements InternalProtocolNegotiator.ProtocolNegotiator {
  private final InternalProtocolNegotiator.ProtocolNegotiator plaintext =
      InternalProtocolNegotiators.serverPlaintext();
  private final UserPrincipal root;

  RootOnly() {
    try {
      root = Files.getOwner(Path.of("/proc/self"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot find out who owns this process", e);
    }
  }

  @Override
  public AsciiString scheme() {
    return plaintext.scheme();
  }

  @Override
  public ChannelHandler newHandler(GrpcHttp2ConnectionHandler http2) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void handlerAdded(ChannelHandlerContext context) {
        if (isRoot(context.channel())) {
          context.pipeline().replace(this, null, plaintext.newHandler(http2));
        } else {
          ChannelFuture _ = context.close();
        }
      }
    };
  }

  private boolean isRoot(Channel channel) {
    @Nullable UnixDomainPrincipal peer =
        channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
    return peer != null && peer.user().equals(root);
  }

  @Override
  public void close() {
    plaintext.close();
  }
}
