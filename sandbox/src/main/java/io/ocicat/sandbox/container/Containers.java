package io.ocicat.sandbox.container;

import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.time.Duration;
import java.util.List;

/**
 * The containers of a machine. Ids may be shortened to a unique prefix. Unknown ids are {@link
 * Reason#NOT_FOUND}, except where a method says that it succeeds; an ambiguous prefix is {@link
 * Reason#AMBIGUOUS}; the wrong state is {@link Reason#NOT_READY}.
 *
 * <p>Operations on one container exclude each other; whoever holds the lock of a container does not
 * wait for that of a sandbox. Containers outlive this process. Thread-safe.
 */
public interface Containers extends AutoCloseable {
  /**
   * Checks a configuration and looks at the files of the host that it names, which may take long:
   * so before any lock is held.
   */
  PreparedContainer prepare(ContainerConfig config);

  /**
   * Creates a container without starting it, under the lock of its sandbox: {@code PodSandboxes}
   * calls this. A repeated request returns the container that the first one created, as long as it
   * was not started.
   *
   * @param request kept with the container, see {@link ContainerStatus#request}
   * @return its id
   */
  String create(
      ContainerSandbox sandbox, PreparedContainer container, ContainerImage image, byte[] request);

  /** Starts a created container. When that fails, it has exited with code 128. */
  void start(String id);

  /**
   * Stops a container; it has exited when this returns. Signals its first process once, and kills
   * everything in it after the timeout, at once when that is not positive. Succeeds when it does
   * not run or does not exist. Repeated calls only shorten the wait. Goes on in the background when
   * the caller is interrupted.
   */
  void stop(String id, Duration timeout);

  /** Removes a container, killing it if it runs. Succeeds when it does not exist. */
  void remove(String id);

  ContainerStatus status(String id);

  /** The newest first; costs no more than looking at the files' times. */
  List<ContainerStatus> list(ContainerFilter filter);

  /** Whether it runs or not, a container without a cgroup is {@link Reason#NOT_FOUND}. */
  ContainerUsage usage(String id);

  /** Of those that run. */
  List<ContainerUsage> usages(ContainerFilter filter);

  /** Changes limits; those that are not stated stay. Not for one that has exited. */
  void update(String id, LinuxResources resources);

  /** Makes a running container write to a new log file, which exists when this returns. */
  void reopenLog(String id);

  /**
   * Runs a command in a running container and returns when it ends, whatever its children do.
   *
   * @param timeout zero for none
   * @throws SandboxException with {@link Reason#DEADLINE} after the timeout; its process group was
   *     killed then
   */
  ExecResult execSync(String id, List<String> command, Duration timeout);

  /** Starts a command in a running container, for a client to talk to. */
  ContainerIo exec(String id, List<String> command, boolean tty, boolean stdin);

  /** Connects a client to the first process of a running container; it gets no history. */
  ContainerIo attach(String id, boolean stdin);

  ContainerEvents events();

  /** Kills the containers of a sandbox, which have then exited. Called under its lock. */
  void stopAll(String sandboxId);

  /** Removes the containers of a sandbox. Called under its lock. */
  void removeAll(String sandboxId);

  /**
   * Cleans up after killed processes, and adopts what runs. Call it at the start.
   *
   * @return what could not be cleaned up, one line each
   */
  List<String> recover();

  /**
   * Notices from now on when containers end, so that events are published at once. Otherwise it is
   * noticed when somebody asks.
   */
  void watch();

  /** Stops watching. Containers keep running. */
  @Override
  void close();
}
