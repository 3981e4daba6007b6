/**
 * What several plugins do to the kernel: both sides of an attachment, veth pairs, addresses and
 * routes in a pod.
 */
@NullMarked
package io.ocicat.plugins.net;

import org.jspecify.annotations.NullMarked;
