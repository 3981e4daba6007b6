package io.ocicat.ipam.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.RetryBackoff;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A handle never counts less than its blocks assign, whatever others do between two attempts. */
class HandleCounterTest {
  private static final ResourceKey KEY = new ResourceKey.Handle("net.c1");
  private static final IpPrefix BLOCK = IpPrefix.parse("10.0.0.0/30");
  private static final IpAddress FIRST = IpAddress.parse("10.0.0.0");
  private static final IpAddress SECOND = IpAddress.parse("10.0.0.1");

  @TempDir Path directory;
  private Datastore datastore;

  @BeforeEach
  void open() {
    datastore = PassingDatastore.withoutTransactions(EmbeddedStore.openDatastore(directory));
  }

  @AfterEach
  void close() {
    datastore.close();
  }

  private static HandleCounter counter(Datastore datastore) {
    Handles handles = new Handles(new IpamRecords(datastore), new RetryBackoff(() -> 0));
    return new HandleCounter(new CountedHandle(handles, "net.c1"), BLOCK, 0);
  }

  private int counted() {
    return IpamHandle.of(datastore.get(KEY)).counts().getOrDefault(BLOCK, 0);
  }

  /** Another process corrects the count before each update, as the block has no address yet. */
  private Datastore correctedByOthers() {
    return new PassingDatastore(datastore) {
      @Override
      public Resource update(Resource resource) {
        try {
          datastore.delete(KEY, null);
        } catch (NotFoundException _) {
          // Corrected already.
        }
        return super.update(resource);
      }
    };
  }

  @Test
  void whatAnotherProcessRemovesBetweenTwoAttemptsIsCountedAgain() {
    HandleCounter counter = counter(correctedByOthers());
    counter.count("1", List.of(FIRST));
    counter.count("2", List.of(FIRST, SECOND));
    assertThat(counted()).isGreaterThanOrEqualTo(2);
  }

  /** Kubernetes keeps the revision of an object that is written unchanged. */
  @Test
  void anotherAttemptChangesTheHandle() {
    HandleCounter counter = counter(datastore);
    counter.count("1", List.of(FIRST));
    String before = datastore.get(KEY).revision();
    counter.count("2", List.of(FIRST));
    assertThat(datastore.get(KEY).revision()).isNotEqualTo(before);
    assertThat(counter.isTooHigh()).isTrue();
  }

  @Test
  void theSameAttemptIsCountedOnce() {
    HandleCounter counter = counter(datastore);
    counter.count("1", List.of(FIRST));
    counter.count("1", List.of(FIRST));
    assertThat(counted()).isEqualTo(1);
    assertThat(counter.isTooHigh()).isFalse();
  }
}
