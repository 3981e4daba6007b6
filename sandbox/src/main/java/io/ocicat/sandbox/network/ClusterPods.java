package io.ocicat.sandbox.network;

import io.ocicat.sandbox.PodConfig;

/**
 * Publishes pods for plugins that look up a pod's labels, annotations and ports, where Kubernetes
 * would otherwise provide them.
 */
public interface ClusterPods {
  /** Publishes nothing. */
  ClusterPods NOBODY =
      new ClusterPods() {
        @Override
        public boolean isNeeded(PodAttachment attachment) {
          return false;
        }

        @Override
        public void publish(PodConfig config, PodAttachment attachment) {
          throw new IllegalStateException("pods are not published");
        }

        @Override
        public void withdraw(PodConfig config, PodAttachment attachment) {
          throw new IllegalStateException("pods are not published");
        }
      };

  /** Whether the network's plugins look pods up where this process must publish them. */
  boolean isNeeded(PodAttachment attachment);

  /** Publishes a pod, before it is attached. */
  void publish(PodConfig config, PodAttachment attachment);

  /** Removes a published pod, after it was detached. */
  void withdraw(PodConfig config, PodAttachment attachment);
}
