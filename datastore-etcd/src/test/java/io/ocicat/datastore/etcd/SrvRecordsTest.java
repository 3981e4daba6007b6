package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.UnavailableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Endpoints from DNS, served by a name server in the test. */
class SrvRecordsTest {

  @Test
  void bothServicesAreAskedFor() throws IOException {
    try (NameServer dns = new NameServer("_etcd-client-ssl")) {
      assertThat(new SrvRecords(dns.url(), "example.org").get())
          .containsExactly(new Endpoint(true, "etcd.example.org", 2379));
    }
    try (NameServer dns = new NameServer("_etcd-client")) {
      assertThat(new SrvRecords(dns.url(), "example.org").get())
          .containsExactly(new Endpoint(false, "etcd.example.org", 2379));
    }
  }

  @Test
  void withoutRecordsBothNamesAreTold() throws IOException {
    try (NameServer dns = new NameServer("_something-else")) {
      SrvRecords records = new SrvRecords(dns.url(), "example.org");
      assertThatThrownBy(records::get)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("_etcd-client-ssl._tcp.example.org")
          .hasMessageContaining("_etcd-client._tcp.example.org")
          .hasMessageContaining("etcd_discovery_srv");
    }
  }

  /** Knows the SRV record of one service, and no other. */
  private static final class NameServer implements AutoCloseable {
    private static final int NO_SUCH_NAME = 3;
    private static final int SRV = 33;

    private final DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final String service;

    NameServer(String service) throws IOException {
      this.service = service;
      Thread.ofVirtual().start(this::serve);
    }

    String url() {
      return "dns://127.0.0.1:" + socket.getLocalPort();
    }

    private void serve() {
      try {
        while (!socket.isClosed()) {
          DatagramPacket question = new DatagramPacket(new byte[512], 512);
          socket.receive(question);
          byte[] answer = answer(question.getData());
          socket.send(new DatagramPacket(answer, answer.length, question.getSocketAddress()));
        }
      } catch (IOException e) {
        if (!socket.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }

    /** RFC 1035, section 4: the question again, and one record that points to its name. */
    private byte[] answer(byte[] question) {
      int first = question[12];
      String asked = new String(question, 13, first, StandardCharsets.US_ASCII);
      boolean known = asked.equals(service);
      int end = 12;
      while (question[end] != 0) {
        end += 1 + question[end];
      }
      end += 5;
      ByteBuffer out = ByteBuffer.allocate(512);
      out.put(question, 0, 2).putShort((short) (known ? 0x8580 : 0x8580 | NO_SUCH_NAME));
      out.putShort((short) 1).putShort((short) (known ? 1 : 0)).putInt(0);
      out.put(question, 12, end - 12);
      if (known) {
        byte[] target = name("etcd", "example", "org");
        out.putShort((short) 0xc00c).putShort((short) SRV).putShort((short) 1).putInt(60);
        out.putShort((short) (6 + target.length));
        out.putShort((short) 0).putShort((short) 0).putShort((short) 2379).put(target);
      }
      byte[] bytes = new byte[out.position()];
      out.flip().get(bytes);
      return bytes;
    }

    private static byte[] name(String... labels) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (String label : labels) {
        out.write(label.length());
        out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
      }
      out.write(0);
      return out.toByteArray();
    }

    @Override
    public void close() {
      socket.close();
    }
  }
}
