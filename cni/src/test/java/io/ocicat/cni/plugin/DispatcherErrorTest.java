package io.ocicat.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to a plugin's failures and its log output. */
class DispatcherErrorTest {
  private final RecordingPlugin plugin = new RecordingPlugin();

  @Test
  void aTypedErrorIsReturnedAsItIs() {
    plugin.failing(new CniException(new ErrorCode(1234), "insufficient something", "or other"));
    PluginReply reply = Request.of(Verb.ADD).to(plugin);
    assertThat(reply.exitCode()).isEqualTo(1);
    assertThat(Request.stdout(reply))
        .isEqualTo(
            """
            {
                "cniVersion": "1.1.0",
                "code": 1234,
                "msg": "insufficient something",
                "details": "or other"
            }""");
    assertThat(reply.stderr()).isEmpty();
  }

  @Test
  void aTypedErrorAmongTheCausesIsReturnedAsItIs() {
    plugin.failing(
        new IllegalStateException("outer", new CniException(new ErrorCode(1234), "inner")));
    CniException error = Request.of(Verb.ADD).failure(plugin);
    assertThat(error.code()).isEqualTo(new ErrorCode(1234));
    assertThat(error.msg()).isEqualTo("inner");
  }

  @Test
  void anyOtherErrorIsInternalAndItsTraceIsLogged() {
    plugin.failing(new IllegalStateException("potato"));
    PluginReply reply = Request.of(Verb.ADD).to(plugin);
    CniException error = Request.failureIn(reply);
    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg()).isEqualTo("potato");
    assertThat(reply.stderr()).contains("IllegalStateException: potato", "\tat ");
  }

  /** As {@code NetlinkException} is. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message);
    }
  }

  @Test
  void whatOurOwnModulesSayNeedsNoTrace() {
    plugin.failing(new Refused("create bridge \"blue\": Operation not supported"));
    PluginReply reply = Request.of(Verb.ADD).to(plugin);
    assertThat(Request.failureIn(reply).msg())
        .isEqualTo("create bridge \"blue\": Operation not supported");
    assertThat(reply.stderr()).isEmpty();
  }

  @Test
  void anErrorWithoutMessageIsCalledByItsName() {
    plugin.failing(new UnsupportedOperationException());
    assertThat(Request.of(Verb.DEL).failure(plugin).msg())
        .isEqualTo("java.lang.UnsupportedOperationException");
  }

  @Test
  void evenAnErrorOfTheVirtualMachineIsAnAnswer() {
    plugin.action =
        _ -> {
          throw new StackOverflowError();
        };
    CniException error = Request.of(Verb.ADD).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg()).isEqualTo("java.lang.StackOverflowError");
  }

  @Test
  void whatWasSuppressedIsLogged() {
    CniException failure = new CniException(ErrorCode.TRY_AGAIN_LATER, "busy");
    failure.addSuppressed(new IllegalStateException("cannot undo"));
    plugin.failing(failure);
    assertThat(Request.of(Verb.ADD).to(plugin).stderr()).isEqualTo("cannot undo\n");
  }

  @Test
  void whatIsLoggedIsHeardAtOnceAndKept() {
    List<String> heard = new ArrayList<>();
    plugin.action =
        call -> {
          call.log("one");
          assertThat(heard).containsExactly("one\n");
          call.log("two");
        };
    PluginReply reply =
        Request.of(Verb.ADD).to(plugin, PluginHost.process().withStderr(heard::add));
    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stderr()).isEqualTo("one\ntwo\n");
  }

  @Test
  void aLogWithoutEndIsKeptInPart() {
    plugin.action =
        call -> {
          for (int i = 0; i < 300; i++) {
            call.log("x".repeat(10_000));
          }
          call.log("the end");
        };
    assertThat(Request.of(Verb.ADD).to(plugin).stderr())
        .hasSizeBetween(1 << 19, 1 << 20)
        .endsWith("the end\n");
  }

  @Test
  void aResultThatTheVersionCannotExpressIsAFailedAddAndTakenBack() {
    plugin.result = Result.empty();

    CniException error = Request.of(Verb.ADD).version("0.2.0").failure(plugin);

    assertThat(error.msg()).isEqualTo("cannot convert: no valid IP addresses");
    assertThat(plugin.calls)
        .extracting(Call::getClass)
        .isEqualTo(List.of(AddCall.class, DelCall.class));
  }
}
