/** YAML as Kubernetes' tools read and write it, to and from JSON trees. */
@NullMarked
package io.ocicat.base.yaml;

import org.jspecify.annotations.NullMarked;
