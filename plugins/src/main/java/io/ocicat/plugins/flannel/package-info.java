/**
 * The {@code flannel} plugin: flanneld writes the node's subnet to a file, and another plugin
 * (bridge by default) attaches containers with it.
 */
@NullMarked
package io.ocicat.plugins.flannel;

import org.jspecify.annotations.NullMarked;
