package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import org.junit.jupiter.api.Test;

/** A datastore that nodes share, in which only an agent registers a node. */
interface SharedDatastoreScenarios {
  Cluster cluster();

  @Test
  default void aNodeThatNobodyHasRegisteredGetsNoAddress() {
    cluster().pool("blue", "10.65.0.0/26");

    CniException error = cluster().net("", "\"nodename\":\"stranger\"").add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg()).contains("node stranger does not exist");
  }

  @Test
  default void statusNamesANodeThatNobodyHasRegistered() {
    cluster().pool("blue", "10.65.0.0/26");

    CniException stranger = cluster().net("", "\"nodename\":\"stranger\"").status().error();

    assertThat(stranger.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(stranger.msg()).contains("no node \"stranger\"");
  }
}
