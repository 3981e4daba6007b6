/** Everything at once, for as long as one likes: see {@link io.ocicat.interop.soak.Soak}. */
@org.jspecify.annotations.NullMarked
package io.ocicat.interop.soak;
