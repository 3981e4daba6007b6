package io.ocicat.cli.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cli.resource.CommandException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.passing.MortalDatastore;
import io.ocicat.datastore.passing.MortalDatastore.Killed;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A split may be killed before or after any of its writes: nothing is lost, and it can be resumed.
 */
class PoolSplitTest {
  private static final ResourceKey.Named BLUE = new ResourceKey.Named(Kind.IP_POOL, "", "blue");

  private final Datastore datastore;

  PoolSplitTest(@TempDir Path directory) {
    datastore = Datastores.openOwn(new DatastoreConfig.Embedded(directory));
  }

  @BeforeEach
  void createPool() {
    datastore.create(
        Resource.of(
            BLUE,
            spec ->
                spec.put("cidr", "10.65.0.0/24").put("blockSize", 28).put("natOutgoing", true)));
  }

  @AfterEach
  void close() {
    datastore.close();
  }

  /** The datastore of a process that is killed at its write of this number. */
  private Datastore killedAt(int write, boolean before) {
    return new MortalDatastore(datastore, write, before);
  }

  private List<Resource> pools() {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items();
  }

  private Optional<Resource> blue() {
    return pools().stream().filter(pool -> pool.key().equals(BLUE)).findFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "0,true", "0,false", "1,true", "1,false", "2,true", "2,false", "3,true", "3,false", "4,true",
    "4,false", "5,true", "5,false"
  })
  void aKilledSplitLosesNothingAndIsFinishedByTheNext(int write, boolean before) {
    assertThatThrownBy(() -> new PoolSplit(killedAt(write, before), 4).run(datastore.get(BLUE)))
        .isInstanceOf(Killed.class);
    assertThat(blue().isPresent() || covered().equals(BigInteger.valueOf(256)))
        .as("the pool is there, or all its parts are: %s", pools())
        .isTrue();

    PoolSplit again = new PoolSplit(datastore, 4);
    List<Resource> made =
        blue().map(again::run).or(() -> again.alreadyDone("blue", null)).orElseThrow();

    assertThat(made).hasSize(4);
    assertThat(pools())
        .extracting(
            pool ->
                "%s %s %s %s"
                    .formatted(
                        pool.key().name(),
                        IpPool.of(pool).cidr(),
                        IpPool.of(pool).enabled(),
                        pool.<Boolean>read(c -> c.at("/spec/natOutgoing").asBoolean(false))))
        .containsExactlyInAnyOrder(
            "split-blue-0 10.65.0.0/26 true true",
            "split-blue-1 10.65.0.64/26 true true",
            "split-blue-2 10.65.0.128/26 true true",
            "split-blue-3 10.65.0.192/26 true true");
  }

  private BigInteger covered() {
    return pools().stream()
        .map(pool -> IpPool.of(pool).cidr().size())
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  @Test
  void aSplitIsNotTakenForAnother() {
    assertThatThrownBy(() -> new PoolSplit(killedAt(2, false), 4).run(datastore.get(BLUE)))
        .isInstanceOf(Killed.class);

    assertThatThrownBy(() -> new PoolSplit(datastore, 2).run(datastore.get(BLUE)))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("is being split into 4");
    assertThat(new PoolSplit(datastore, 4).run(datastore.get(BLUE))).hasSize(4);
    assertThat(new PoolSplit(datastore, 2).alreadyDone("blue", null)).isEmpty();
    assertThat(new PoolSplit(datastore, 4).alreadyDone(null, "10.65.0.0/24")).isPresent();
  }

  @ParameterizedTest
  @CsvSource({"-1,true", "2,true", "2,false", "3,true", "3,false", "4,true", "4,false"})
  void whatCannotBeMadeTakesEverythingBack(int write, boolean before) {
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "split-blue-1"),
            spec -> spec.put("cidr", "10.99.0.0/26").put("blockSize", 28)));

    // When it was killed while it was undoing, the next run finishes that.
    assertThatThrownBy(() -> new PoolSplit(killedAt(write, before), 4).run(datastore.get(BLUE)))
        .isInstanceOfAny(Killed.class, CommandException.class);
    assertThatThrownBy(() -> new PoolSplit(datastore, 4).run(datastore.get(BLUE)))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("split-blue-1 is there already with 10.99.0.0/26");

    assertThat(pools()).extracting(pool -> pool.key().name()).containsOnly("blue", "split-blue-1");
    assertThat(IpPool.of(datastore.get(BLUE)).enabled()).isTrue();
    assertThat(datastore.get(BLUE).text("metadata", "annotations", IpPool.SPLIT_ANNOTATION))
        .isEmpty();
  }

  @Test
  void onlyAPartMayLieInAPoolThatIsSplit() {
    assertThatThrownBy(() -> new PoolSplit(killedAt(1, true), 4).run(datastore.get(BLUE)))
        .isInstanceOf(Killed.class);

    assertThatThrownBy(
            () ->
                datastore.create(
                    Resource.of(
                        new ResourceKey.Named(Kind.IP_POOL, "", "green"),
                        spec -> spec.put("cidr", "10.65.0.0/26").put("blockSize", 28))))
        .hasMessageContaining("overlaps 10.65.0.0/24 of pool blue");
  }
}
