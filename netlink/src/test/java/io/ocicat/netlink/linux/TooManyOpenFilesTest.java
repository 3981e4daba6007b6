package io.ocicat.netlink.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that may open no more files fails cleanly, wherever the next one would be needed. */
class TooManyOpenFilesTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int MAX_NEEDED = 6;

  @Test
  void nothingIsLeftOpenOrOnDisk(@TempDir Path directory) {
    List<String> command = new ArrayList<>(List.of("prlimit", "--nofile=64:64", "--"));
    command.addAll(OtherJvm.commandLine(AtTheLimit.class, directory.toString()));

    assertThat(Command.of(command).limit(LONG).run().stdout())
        .isEqualTo(
            """
            receive: 1 refused, 0 done
            pair: 2 refused, 5 done
            bind: 3 refused, 4 done
            take over: 3 refused, 4 done
            connect: 1 refused, 6 done
            lock: 1 refused, 6 done
            """);
  }

  /** Runs in a JVM of its own, which may open 64 files. */
  static final class AtTheLimit {
    private final Path directory;

    AtTheLimit(Path directory) {
      this.directory = directory;
    }

    public static void main(String[] args) throws IOException {
      AtTheLimit process = new AtTheLimit(Path.of(args[0]));
      Path path = process.directory.resolve("s");
      Path server = process.directory.resolve("server");
      process.receiveMany();
      process.squeeze("pair", () -> UnixSocket.pair(SocketType.STREAM).forEach(UnixSocket::close));
      process.squeeze("bind", () -> end(UnixListener.bind(path, SocketType.STREAM, 0600)));
      process.squeeze("take over", () -> end(UnixListener.takeOver(path, SocketType.STREAM, 0600)));
      UnixListener listener = UnixListener.bind(server, SocketType.STREAM, 0600);
      process.squeeze("connect", () -> UnixSocket.connect(server, SocketType.STREAM, LONG).close());
      end(listener);
      process.squeeze(
          "lock", () -> FileLock.acquire(process.directory, FileLock.Mode.SHARED).close());
    }

    private static void end(UnixListener listener) {
      listener.removeFile();
      listener.close();
    }

    private void receiveMany() throws IOException {
      List<UnixSocket> ends = UnixSocket.pair(SocketType.STREAM);
      int before = open();
      ends.getFirst().send(new byte[1], LONG, new int[100]);
      try {
        ends.getLast().receive(1, 100, LONG);
        System.out.println("receive: all came");
      } catch (NetlinkException e) {
        System.out.println("receive: 1 refused, 0 done");
      }
      expect(before, "receive");
      ends.forEach(UnixSocket::close);
    }

    /** Tries with room for 6 more files, then for 5, and so on. */
    private void squeeze(String what, Runnable attempt) throws IOException {
      attempt.run();
      int done = 0;
      int refused = 0;
      for (int room = MAX_NEEDED; room >= 0; room--) {
        int before = open();
        List<Fd> filling = fillBut(room);
        try {
          attempt.run();
          done++;
        } catch (NetlinkException e) {
          refused++;
        } finally {
          filling.forEach(Fd::close);
        }
        expect(before, what);
      }
      System.out.println(what + ": " + refused + " refused, " + done + " done");
    }

    private static List<Fd> fillBut(int room) {
      List<Fd> filling = new ArrayList<>();
      try {
        while (true) {
          filling.add(Fd.duplicateOf(0));
        }
      } catch (NetlinkException e) {
        for (int i = 0; i < room; i++) {
          filling.removeLast().close();
        }
        return filling;
      }
    }

    private void expect(int before, String what) throws IOException {
      if (open() != before) {
        System.out.println(what + ": left open: " + OpenFiles.now());
      }
      try (Stream<Path> files = Files.list(directory)) {
        files
            .filter(file -> !file.endsWith("server"))
            .forEach(file -> System.out.println(what + ": left " + file));
      }
    }

    private static int open() throws IOException {
      return OpenFiles.now().size();
    }
  }
}
