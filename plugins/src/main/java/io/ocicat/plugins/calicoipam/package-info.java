/** Calico's addresses as a CNI plugin: blocks, affinities and handles that Calico shares. */
@NullMarked
package io.ocicat.plugins.calicoipam;

import org.jspecify.annotations.NullMarked;
