package io.ocicat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Deadline;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.Plugins;
import io.ocicat.testkit.Command;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Our plugins as executables that need no JVM of their own: this process serves each call, in the
 * caller's namespaces, as a daemon would. Thread-safe.
 */
public final class ForwardedPlugins implements AutoCloseable {
  private final Path executables;
  private final PluginExecutables ours;
  private final Path socket;
  private final ServerSocketChannel listener;

  private ForwardedPlugins(
      Path executables, PluginExecutables ours, Path socket, ServerSocketChannel listener) {
    this.executables = executables;
    this.ours = ours;
    this.socket = socket;
    this.listener = listener;
  }

  /** Makes the executables in a directory, which should be empty. */
  public static ForwardedPlugins in(Path directory) throws IOException {
    Path executables = Files.createDirectory(directory.resolve("cni"));
    // Where a distribution has the one executable that all others are copies of.
    Path forward = Files.createDirectory(directory.resolve("lib")).resolve("shim");
    Command.of("gcc", "-O1", "-Wall", "-Wextra", "-o", forward.toString(), "src/test/c/forward.c")
        .run();
    for (String name : Plugins.names()) {
      Files.copy(forward, executables.resolve(name));
    }
    Path socket = directory.resolve("socket");
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    ForwardedPlugins plugins =
        new ForwardedPlugins(executables, PluginExecutables.of(directory), socket, listener);
    Thread.ofPlatform().daemon().name("forwarded plugins").start(plugins::accept);
    return plugins;
  }

  public Path executable(String name) {
    return executables.resolve(name);
  }

  /** The environment that the executables need. */
  public Map<String, String> environment() {
    return Map.of("FORWARD_TO", socket.toString());
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel caller = listener.accept();
        Thread.ofPlatform().daemon().name("forwarded call").start(() -> serve(caller));
      }
    } catch (ClosedChannelException _) {
      // The end of the test.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serve(SocketChannel caller) {
    try (caller;
        Datastores datastores = new Datastores()) {
      InputStream in = new BufferedInputStream(Channels.newInputStream(caller));
      Path process = Path.of("/proc", text(in));
      int netns = Integer.parseInt(text(in));
      boolean hasStdin = text(in).equals("0");
      String name = text(in);
      Map<String, String> environment = environment(in);
      Namespaces namespaces =
          new Namespaces(
              process.resolve("ns/net"),
              netns < 0
                  ? Map.of()
                  : Map.of(
                      environment.getOrDefault("CNI_NETNS", ""), process.resolve("fd/" + netns)));
      PluginReply reply =
          Dispatcher.dispatch(
              Plugins.named(name, datastores).orElseThrow(),
              host(namespaces),
              environment,
              hasStdin ? PluginStdin.of(in.readAllBytes()) : PluginStdin.of(closed()));
      OutputStream out = Channels.newOutputStream(caller);
      out.write(reply.exitCode());
      out.write((reply.stderr().replace('\0', ' ') + '\0').getBytes(UTF_8));
      out.write(reply.stdout());
    } catch (IOException _) {
      // The caller was killed: a check of the runner's.
    }
  }

  private PluginHost host(Namespaces namespaces) {
    return new PluginHost(
        namespaces,
        new InProcessExec(ours::find, new ProcessExec(), namespaces),
        Deadline.NEVER,
        _ -> {});
  }

  private static Map<String, String> environment(InputStream in) throws IOException {
    Map<String, String> environment = new HashMap<>();
    for (String line = text(in); !line.isEmpty(); line = text(in)) {
      int equals = line.indexOf('=');
      environment.put(line.substring(0, equals), line.substring(equals + 1));
    }
    return environment;
  }

  /** Fails when it is read, as a closed descriptor does. */
  private static InputStream closed() throws IOException {
    InputStream closed = InputStream.nullInputStream();
    closed.close();
    return closed;
  }

  private static String text(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int b = in.read(); b > 0; b = in.read()) {
      bytes.write(b);
    }
    return bytes.toString(UTF_8);
  }

  @Override
  public void close() throws IOException {
    try (ours) {
      listener.close();
    }
  }
}
