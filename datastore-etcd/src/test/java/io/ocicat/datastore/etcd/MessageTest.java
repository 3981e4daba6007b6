package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.protobuf.ProtobufReader;
import io.ocicat.base.protobuf.ProtobufWriter;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.testkit.Seeded;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of etcd's messages, as its own client and server write them. */
class MessageTest {

  @Test
  void aTransactionIsWrittenAsEtcdsClientDoes() {
    EtcdRequest.Txn create =
        new EtcdRequest.Txn(
            List.of(Condition.absent("/a")), List.of(new Change.Put("/a", "v")), List.of());

    assertThat(hex(create))
        .isEqualTo(
            // compare: target MOD, key, mod_revision 0 although that is the default
            "0a08"
                + "1002"
                + "1a022f61"
                + "3000"
                // success: put
                + "1209"
                + "1207"
                + "0a022f61"
                + "120176"
                // failure: range
                + "1a06"
                + "0a04"
                + "0a022f61");
    assertThat(hex(new EtcdRequest.Txn(List.of(), List.of(new Change.Delete("/a")), List.of())))
        .isEqualTo("1208" + "1a06" + "0a022f61" + "1801");
  }

  @Test
  void aWatchAsksForProgressPreviousValuesAndFragments() {
    assertThat(hex(new EtcdRequest.Watch(KeyRange.prefix("/a/"), 300)))
        .isEqualTo("0a13" + "0a032f612f" + "12032f6130" + "18ac02" + "2001" + "3001" + "4001");
  }

  @Test
  void thePrefixOfEverythingHasNoEnd() {
    assertThat(hex(EtcdRequest.Range.of(KeyRange.prefix("")))).isEqualTo("0a0100" + "120100");
    assertThat(hex(EtcdRequest.Range.of(KeyRange.prefix("/é").after("/éa"))))
        .isEqualTo("0a052fc3a96100" + "12032fc3aa");
  }

  @Test
  void eventsAreReadWithTheirPreviousValues() {
    EtcdResponse.Watch answer =
        EtcdResponse.Watch.read(
            reader(
                // header of revision 7, an unknown member 9, and two events
                "0a021807"
                    + "4a0161"
                    + "5a11"
                    + "120f"
                    + "0a022f61"
                    + "1005"
                    + "1806"
                    + "2002"
                    + "2a0176"
                    + "3007"
                    + "5a13"
                    + "0801"
                    + "1206"
                    + "0a022f61"
                    + "1807"
                    + "1a07"
                    + "0a022f61"
                    + "2a0176"));

    assertThat(answer.revision()).isEqualTo(7);
    assertThat(answer.events())
        .containsExactly(
            new KeyValueEvent.Put(new KeyValue("/a", "v", 5, 6, 7)),
            new KeyValueEvent.Deleted("/a", 7, new KeyValue("/a", "v", 0, 0, 0)));
  }

  @Test
  void numbersOfAnySizeSurvive() {
    for (long number : new long[] {0, 1, 127, 128, 300, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
      byte[] bytes = new ProtobufWriter().chosenNumber(2, number).toBytes();
      assertThat(EtcdResponse.Lease.read(new ProtobufReader(ByteBuffer.wrap(bytes))).id())
          .isEqualTo(number);
    }
  }

  @Test
  void damageIsAnErrorAndNothingElse() {
    for (String damaged :
        List.of(
            "0a", "0a05", "0aff", "08ffffffffffffffffffff", "0a0118", "0b", "00", "1801" + "0f")) {
      assertThatThrownBy(() -> EtcdResponse.Range.read(reader(damaged)))
          .as(damaged)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("protobuf message");
    }
  }

  @Test
  void anyBytesAreReadOrRefused() {
    Seeded.forAll(
        2000,
        random -> {
          byte[] bytes = new byte[random.nextInt(40)];
          random.nextBytes(bytes);
          try {
            EtcdResponse.Txn.read(new ProtobufReader(ByteBuffer.wrap(bytes)));
            EtcdResponse.Watch.read(new ProtobufReader(ByteBuffer.wrap(bytes)));
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("protobuf message");
          }
        });
  }

  private static String hex(EtcdRequest request) {
    ProtobufWriter out = new ProtobufWriter();
    request.write(out);
    return HexFormat.of().formatHex(out.toBytes());
  }

  private static ProtobufReader reader(String hex) {
    return new ProtobufReader(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
  }
}
