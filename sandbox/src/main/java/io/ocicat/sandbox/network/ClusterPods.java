package io.ocicat.sandbox.network;

import io.ocicat.sandbox.PodConfig;

/**
 * Who wants to know which pods there are: plugins that look up a pod's labels, annotations and
 * ports where Kubernetes would have them.
 */
public interface ClusterPods {
  /** Nobody wants to know. */
  ClusterPods NOBODY =
      new ClusterPods() {
        @Override
        public boolean wants(PodAttachment attachment) {
          return false;
        }

        @Override
        public void tell(PodConfig config, PodAttachment attachment) {
          throw new IllegalStateException("nobody wants to know of pods");
        }

        @Override
        public void takeBack(PodConfig config, PodAttachment attachment) {
          throw new IllegalStateException("nobody wants to know of pods");
        }
      };

  /** Whether the network's plugins look pods up at a place where it is for us to tell of them. */
  boolean wants(PodAttachment attachment);

  /** Tells of a pod, before it is attached. */
  void tell(PodConfig config, PodAttachment attachment);

  /** Takes that back, after it was detached. */
  void takeBack(PodConfig config, PodAttachment attachment);
}
