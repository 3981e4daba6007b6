/** The kubelet side: pods, their sandboxes and how these get their networks. */
@NullMarked
package io.ocicat.sandbox;

import org.jspecify.annotations.NullMarked;
