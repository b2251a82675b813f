//! Structures and enumerations that describe their own layout, so that a test
//! can hold it against the header's.

/// One structure as this crate lays it out.
#[derive(Debug, Clone, Copy)]
pub struct Structure {
    /// Name in the header.
    pub c_name: &'static str,
    pub size_bytes: usize,
    pub fields: &'static [Field],
}

/// A field of a structure: where it is, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub offset_bytes: usize,
    pub size_bytes: usize,
}

/// A named number of the header.
#[derive(Debug, Clone, Copy)]
pub struct Constant {
    pub c_name: &'static str,
    pub value: u64,
}

/// Defines `repr(C)` structures of integers and byte strings, all fields
/// public, and `STRUCTURES`, which describes them.
macro_rules! structures {
    ($( $(#[$doc:meta])* $name:ident = $c_name:literal {
        $( $field:ident : $type:ty, )*
    } )*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct $name { $( pub $field: $type, )* }

            impl Default for $name {
                fn default() -> Self {
                    // SAFETY: integers and arrays of them; all zeros is a value.
                    unsafe { ::std::mem::zeroed() }
                }
            }
        )*

        pub(super) const STRUCTURES: &[$crate::abi::Structure] = &[ $( $crate::abi::Structure {
            c_name: $c_name,
            size_bytes: ::std::mem::size_of::<$name>(),
            fields: &[ $( $crate::abi::Field {
                name: stringify!($field),
                offset_bytes: ::std::mem::offset_of!($name, $field),
                size_bytes: ::std::mem::size_of::<$type>(),
            }, )* ],
        }, )* ];
    };
}

/// Defines constants and `CONSTANTS`, which lists them with the header's names.
macro_rules! constants {
    ($( $(#[$doc:meta])* $name:ident : $type:ty = $c_name:literal $value:expr; )*) => {
        $( $(#[$doc])* pub const $name: $type = $value; )*
        pub(super) const CONSTANTS: &[$crate::abi::Constant] = &[ $( $crate::abi::Constant {
            c_name: $c_name,
            value: $name as u64,
        }, )* ];
    };
}

/// Defines an enumeration of u32 that refuses numbers it does not know. With the name of
/// a method, each variant has the text that this method gives behind its name in C.
macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident ($what:literal) {
        $( $(#[$variant_doc:meta])* $variant:ident = $number:literal $c_name:literal, )*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum $name { $( $(#[$variant_doc])* $variant = $number, )* }

        impl $name {
            pub const ALL: &[$name] = &[ $( $name::$variant, )* ];

            /// Each enumerator with its name in the header.
            pub(crate) const NAMED: &[$crate::abi::Constant] = &[ $( $crate::abi::Constant {
                c_name: $c_name,
                value: $name::$variant as u64,
            }, )* ];

            /// As the kernel numbers it.
            pub const fn number(self) -> u32 {
                self as u32
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $name::ALL[0]
            }
        }

        impl TryFrom<u32> for $name {
            type Error = $crate::kinds::UnknownNumber;

            fn try_from(number: u32) -> Result<Self, Self::Error> {
                match number {
                    $( $number => Ok($name::$variant), )*
                    _ => Err($crate::kinds::UnknownNumber { what: $what, number }),
                }
            }
        }
    };
    ($(#[$doc:meta])* $name:ident ($what:literal) $(#[$text_doc:meta])* $text_of:ident {
        $( $(#[$variant_doc:meta])* $variant:ident = $number:literal $c_name:literal
            $text:literal, )*
    }) => {
        $crate::abi::define_enumeration! { $(#[$doc])* $name ($what) {
            $( $(#[$variant_doc])* $variant = $number $c_name, )*
        } }

        impl $name {
            $(#[$text_doc])*
            pub fn $text_of(self) -> &'static str {
                match self { $( $name::$variant => $text, )* }
            }
        }
    };
}

pub(crate) use {
    constants as define_constants, enumeration as define_enumeration,
    structures as define_structures,
};
