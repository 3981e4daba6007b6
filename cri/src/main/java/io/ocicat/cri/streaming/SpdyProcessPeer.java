package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The client of a process over SPDY: one stream for errors, and one for each stream of the process
 * that was asked for. All have to arrive before the process is started.
 */
final class SpdyProcessPeer implements ProcessPeer {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Map<String, SpdyStream> streams = new TreeMap<>();
  private final Set<String> expected = new HashSet<>();
  private final boolean structured;

  /**
   * A peer without streams.
   *
   * @param version of the protocol
   */
  SpdyProcessPeer(StreamingRequest.OfProcess request, StreamProtocol version) {
    this.structured = version.structuredStatus();
    expected.add("error");
    if (request.stdin()) {
      expected.add("stdin");
    }
    if (request.stdout()) {
      expected.add("stdout");
    }
    if (request.stderr()) {
      expected.add("stderr");
    }
    if (request.tty() && version.resizes()) {
      expected.add("resize");
    }
  }

  void opened(SpdyStream stream) {
    lock.lock();
    try {
      String type = stream.header("streamtype");
      if (expected.contains(type) && !streams.containsKey(type)) {
        streams.put(type, stream);
        arrived.signalAll();
        return;
      }
    } finally {
      lock.unlock();
    }
    try {
      stream.reset();
    } catch (IOException _) {
      // The connection has gone, which its reader notices.
    }
  }

  void await(Duration limit) throws IOException, InterruptedException {
    lock.lock();
    try {
      long left = limit.toNanos();
      while (streams.size() < expected.size()) {
        left = arrived.awaitNanos(left);
        if (left <= 0) {
          throw new IOException(
              "the client opened %s of the streams %s within %d s"
                  .formatted(
                      streams.keySet(), expected, TimeUnit.NANOSECONDS.toSeconds(limit.toNanos())));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private InputStream input(String type) {
    lock.lock();
    try {
      SpdyStream stream = streams.get(type);
      return stream == null ? InputStream.nullInputStream() : stream.input();
    } finally {
      lock.unlock();
    }
  }

  private OutputStream output(String type) {
    lock.lock();
    try {
      SpdyStream stream = streams.get(type);
      return stream == null ? OutputStream.nullOutputStream() : stream.output();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public InputStream stdin() {
    return input("stdin");
  }

  @Override
  public InputStream resizes() {
    return input("resize");
  }

  @Override
  public OutputStream stdout() {
    return output("stdout");
  }

  @Override
  public OutputStream stderr() {
    return output("stderr");
  }

  @Override
  public void finish(ProcessOutcome outcome) throws IOException {
    stdout().close();
    stderr().close();
    try (OutputStream error = output("error")) {
      error.write(outcome.message(structured));
    }
    input("stdin").close();
    input("resize").close();
  }
}
